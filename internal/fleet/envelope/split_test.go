package envelope

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// TestSplitAndAsWritten checks that split manifests are returned with the user's texts, unless they have changed.
func TestSplitAndAsWritten(t *testing.T) {
	const quota = "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}} # without a namespace"
	const other = "{apiVersion: v1, kind: ResourceQuota, metadata: {name: o, namespace: app}}"
	const role = "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r, namespace: app}}"
	const widget = "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}}"
	spec := Spec{Name: "e", Namespace: "app", Manifests: map[string]string{"q": quota, "o": other, "r": role, "w": widget}}
	namespaced, clusterScoped, err := spec.Split(func(kind schema.GroupKind) (namespaced, known bool) {
		return kind.Kind == "ResourceQuota", kind.Kind != "Widget"
	})
	if err != nil {
		t.Fatal(err)
	}
	for as, part := range map[Type]Spec{TypeResourceEnvelope: namespaced, TypeClusterResourceEnvelope: clusterScoped} {
		u, err := part.Encode(as)
		if err != nil {
			t.Fatal(err)
		}
		if _, errs := openers[as](manifest.NewObject(u, nil)); len(errs) > 0 {
			t.Error(errs)
		}
		stored, _, err := Decode(u)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		for key := range part.Manifests {
			want[key] = spec.Manifests[key]
		}
		if diff := cmp.Diff(want, stored.AsWritten(as, spec.Manifests)); diff != "" {
			t.Errorf("%s: %s", as, diff)
		}
		for key := range stored.Manifests {
			changed := maps.Clone(spec.Manifests)
			changed[key] = other + "\n# and another\n---\n" + other
			if got := stored.AsWritten(as, changed)[key]; got != stored.Manifests[key] {
				t.Errorf("%s is returned as %s", key, got)
			}
		}
		if diff := cmp.Diff(stored.Manifests, stored.AsWritten(as, nil)); diff != "" {
			t.Error(diff)
		}
	}
	lost := namespaced
	lost.Manifests = map[string]string{"q": "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}}"}
	if got := lost.AsWritten(TypeResourceEnvelope, spec.Manifests)["q"]; got == quota {
		t.Error("an object that lost its namespace on the hub is returned with the text of the user, so that no plan fixes it")
	}
	if got := lost.AsWritten(TypeConfigMap, spec.Manifests)["q"]; got != quota {
		t.Errorf("a ConfigMap keeps %s", got)
	}
}

// TestSplitOfWhatIsNoManifest checks that an invalid manifest fails the split, with its key in the error.
func TestSplitOfWhatIsNoManifest(t *testing.T) {
	for text, want := range map[string]string{
		"{apiVersion: v1, kind: ": "web.yaml",
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: elsewhere}}": "is in namespace elsewhere",
	} {
		spec := Spec{Name: "e", Namespace: "app", Manifests: map[string]string{"web.yaml": text}}
		_, _, err := spec.Split(func(schema.GroupKind) (namespaced, known bool) { return true, true })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
