package source

import (
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

func mustParse(t *testing.T, text string) []manifest.Object {
	t.Helper()
	out, err := manifest.Parse("test", text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestReservedNamespaces checks that objects in the namespaces of the cluster, the fleet and this provider are never placed, neither from the hub nor from
// manifests.
func TestReservedNamespaces(t *testing.T) {
	t.Parallel()
	for text, refused := range map[string]bool{
		"{apiVersion: v1, kind: ConfigMap, metadata: {namespace: fleet-system, name: member-cluster}}": true,
		"{apiVersion: v1, kind: Secret, metadata: {namespace: kube-system, name: a}}":                  true,
		"{apiVersion: v1, kind: Namespace, metadata: {name: fleet-system}}":                            true,
		"{apiVersion: v1, kind: Namespace, metadata: {name: web}}":                                     false,
		"{apiVersion: v1, kind: ConfigMap, metadata: {namespace: default, name: a}}":                   false,
		"{apiVersion: example.org/v1, kind: Namespace, metadata: {name: kube-system}}":                 false,
	} {
		_, err := newContent(selection.Selection{Objects: mustParse(t, text)}, nil)
		if refused != (err != nil) || refused && !strings.Contains(err.Error(), "is reserved") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestMarksAreNoContent checks that the marks of a placement are not part of the content of an object, on a hub that is also a member.
func TestMarksAreNoContent(t *testing.T) {
	t.Parallel()
	for before, marked := range map[string]string{
		"{app: web}":    "{app: web, " + marks + "}",
		"{app: 'none'}": "{app: 'none'}",
	} {
		text := "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: web, name: a, labels: LABELS, annotations: ANNOTATIONS}}"
		of := func(labels, annotations string) manifest.Object {
			return mustParse(t, strings.NewReplacer("LABELS", labels, "ANNOTATIONS", annotations).Replace(text))[0]
		}
		live := of(marked, "{"+kube.DefaultLastAppliedAnnotation+": '{}', note: kept}")
		live.Content = withoutMarks(live.Content)
		plain := of(before, "{note: kept}")
		if NewObject(live).Hash != NewObject(plain).Hash {
			t.Errorf("%s: the hash of %v differs from that of %v", before, live.Content, plain.Content)
		}
	}
}

const marks = applyset.PartOfLabel + ": applyset-x-v1"

// TestOverriddenInOrder checks that the overrides of a cluster are sorted by name, independently of the order of their objects.
func TestOverriddenInOrder(t *testing.T) {
	t.Parallel()
	var overrides override.Overrides
	const everywhere = "policy: {overrideRules: [{clusterSelector: {}, jsonPatchOverrides: [{op: add, path: /metadata/labels/x, value: y}]}]}"
	text := strings.ReplaceAll(`
Cluster:
- {Name: z, Spec: {clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}], EVERYWHERE}}
- {Name: a, Spec: {clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}], EVERYWHERE}}
Namespaced:
- {Namespace: web, Name: of-b, Spec: {resourceSelectors: [{group: "", version: v1, kind: ConfigMap, name: b}], EVERYWHERE}}
- {Namespace: web, Name: of-a, Spec: {resourceSelectors: [{group: "", version: v1, kind: ConfigMap, name: a}], EVERYWHERE}}
`, "EVERYWHERE", everywhere)
	if err := yaml.UnmarshalStrict([]byte(text), &overrides); err != nil {
		t.Fatal(err)
	}
	content := &Content{}
	for _, text := range []string{
		"{apiVersion: v1, kind: ConfigMap, metadata: {namespace: web, name: b}}", "{apiVersion: v1, kind: Namespace, metadata: {name: web}}",
		"{apiVersion: v1, kind: ConfigMap, metadata: {namespace: web, name: a}}",
	} {
		content.Objects = append(content.Objects, NewObject(mustParse(t, text)[0]))
	}
	got, err := content.Overridden("p", override.Cluster{Name: "member-1"}, overrides)
	want := []override.Reference{{Name: "a"}, {Name: "z"}, {Namespace: "web", Name: "of-a"}, {Namespace: "web", Name: "of-b"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

// TestContainerThatVanished checks that a deleted definition is not a container.
func TestContainerThatVanished(t *testing.T) {
	t.Parallel()
	definition := manifest.Identifier{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition", Name: "gadgets.example.org"}
	if container, is := AsContainer(definition, nil); is {
		t.Errorf("%+v", container)
	}
}
