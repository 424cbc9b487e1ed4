package envelope

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// seedSpec returns the same envelope as a user of the provider writes it.
func seedSpec(t *testing.T) Spec {
	t.Helper()
	data, ok := parse(t, seed)[0].Content.Object["data"].(map[string]any)
	if !ok {
		t.Fatal("no data")
	}
	manifests := map[string]string{}
	for key, text := range data {
		manifests[key], _ = text.(string)
	}
	return Spec{Name: "envelope-configmap", Namespace: "app", Manifests: manifests}
}

func TestConfigMapIsTheSeed(t *testing.T) {
	spec := seedSpec(t)
	if diff := cmp.Diff(parse(t, seed)[0].Content.Object, spec.ConfigMap().Object); diff != "" {
		t.Error(diff)
	}
	if problems := spec.Validate(); len(problems) > 0 {
		t.Error(problems)
	}
	if got := describeAll(spec.Objects()); len(got) != 2 || !strings.HasPrefix(got[0], "ResourceQuota app/mem-cpu-demo") {
		t.Error(got)
	}
}

func TestConfigMapKeepsWhatIsWritten(t *testing.T) {
	annotations := map[string]string{"team": "red"}
	spec := Spec{Name: "e", Namespace: "app", Labels: map[string]string{"a": "b"}, Annotations: annotations}
	u := spec.ConfigMap()
	want := map[string]string{"team": "red", Annotation: "true"}
	if diff := cmp.Diff(want, u.GetAnnotations()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(spec.Labels, u.GetLabels()); diff != "" {
		t.Error(diff)
	}
	if len(annotations) != 1 {
		t.Error("the annotations of the user changed")
	}
	spec.Annotations = map[string]string{Annotation: "yes"}
	if got := spec.ConfigMap().GetAnnotations()[Annotation]; got != "yes" {
		t.Errorf("got %q", got)
	}
}

func TestValidate(t *testing.T) {
	quota := "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}}"
	tests := map[string]struct {
		spec Spec
		want []placement.Problem
	}{
		"empty": {
			Spec{Name: "e", Namespace: "app"},
			[]placement.Problem{{Path: placement.At("manifests"), Message: "the envelope has no objects: set at least one manifest, or configure no envelope (count = 0)"}},
		},
		"reserved namespace": {
			Spec{Name: "e", Namespace: "kube-system", Manifests: map[string]string{"q": quota}},
			[]placement.Problem{{
				Path: placement.At("namespace"), Warning: true,
				Message: "namespace kube-system is reserved: a placement cannot select it with its contents, so it cannot select the envelope either",
			}},
		},
		"annotation emptied": {
			Spec{Name: "e", Namespace: "app", Annotations: map[string]string{Annotation: ""}, Manifests: map[string]string{"q": quota}},
			[]placement.Problem{{Path: placement.At("annotations").Key(Annotation), Message: `the annotation makes the ConfigMap an envelope, and the provider sets it to "true": omit it`}},
		},
		"annotation contradicted": {
			Spec{Name: "e", Namespace: "app", Annotations: map[string]string{Annotation: "false"}, Manifests: map[string]string{"q": quota}},
			[]placement.Problem{{Path: placement.At("annotations").Key(Annotation), Message: `the annotation makes the ConfigMap an envelope, and the provider sets it to "true": omit it`}},
		},
		"annotation that is ours": {
			Spec{Name: "e", Namespace: "app", Annotations: map[string]string{NamespaceAnnotation: "web"}, Manifests: map[string]string{"q": quota}},
			[]placement.Problem{{
				Path:    placement.At("annotations").Key(NamespaceAnnotation),
				Message: "the provider sets this annotation to the namespace of the envelope: omit it",
			}},
		},
		"annotation repeated": {
			Spec{Name: "e", Namespace: "app", Annotations: map[string]string{Annotation: "true"}, Manifests: map[string]string{"q": quota}}, nil,
		},
		"a Secret": {
			Spec{Name: "e", Namespace: "app", Manifests: map[string]string{"s": "{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {a: cGxhbnRlZA==}}"}},
			[]placement.Problem{{
				Path: placement.At("manifests").Key("s"), Warning: true,
				Message: "Secret s: an envelope is a ConfigMap, so everyone with the right to read ConfigMaps in namespace app of the hub can read the values of this Secret. " +
					"Put it into the manifests or manifests_wo of the placement instead, which are stored in Secrets",
			}},
		},
		"manifests": {
			Spec{Name: "e", Namespace: "app", Manifests: map[string]string{
				"1-good": quota, "2-again": "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}", "3-broken": "a: [\n",
				"4-kindless": "{apiVersion: v1, metadata: {name: x}}", "5-nameless": "{apiVersion: v1, kind: Secret, metadata: {}}",
				"6-two": quota + "\n---\n" + quota, "7-other": "{apiVersion: v1, kind: Secret, metadata: {name: x, namespace: other}}",
				"8-generated": "{apiVersion: v1, kind: Secret, metadata: {generateName: x-}}", "9-second-broken": quota + "\n---\na: [",
			}},
			[]placement.Problem{
				{Path: placement.At("manifests").Key("2-again"), Message: `ResourceQuota q is a duplicate of the object in key "1-good"`},
				{Path: placement.At("manifests").Key("3-broken"), Message: "line 1: did not find expected node content"},
				{Path: placement.At("manifests").Key("4-kindless"), Message: "kind is missing"},
				{Path: placement.At("manifests").Key("5-nameless"), Message: "metadata.name is missing"},
				{Path: placement.At("manifests").Key("6-two"), Message: "has 2 objects, and a key of an envelope must have exactly one: use a separate key for every object"},
				{Path: placement.At("manifests").Key("7-other"), Message: "Secret other/x is in namespace other, and the envelope in namespace app: an envelope contains only objects of its own namespace and cluster-scoped objects"},
				{Path: placement.At("manifests").Key("8-generated"), Message: "objects with only generateName are not supported: set metadata.name"},
				{Path: placement.At("manifests").Key("9-second-broken"), Message: "9-second-broken: document 2: line 3: did not find expected node content"},
			},
		},
		"an envelope in it": {
			Spec{Name: "e", Namespace: "app", Manifests: map[string]string{
				"a": "{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ResourceEnvelope, metadata: {name: inner}}",
				"b": "{apiVersion: v1, kind: ConfigMap, metadata: {name: marked, annotations: {kubernetes-fleet.io/envelope-configmap: 'true'}}}",
				"c": "{apiVersion: v1, kind: ConfigMap, metadata: {name: plain}}",
			}},
			[]placement.Problem{
				{Path: placement.At("manifests").Key("a"), Message: "ResourceEnvelope.placement.kubernetes-fleet.io inner" + nested},
				{Path: placement.At("manifests").Key("b"), Message: "ConfigMap marked" + nested},
			},
		},
		"size": {
			Spec{Name: "e", Namespace: "app", Manifests: map[string]string{"q": quota + strings.Repeat(" ", MaxSize-len(quota)), "n": "{apiVersion: v1, kind: Namespace, metadata: {name: x}}"}},
			[]placement.Problem{{Path: placement.At("manifests"), Message: "the manifests have 1048630 bytes, 54 more than a ConfigMap can store: distribute them over several envelopes"}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.spec.Validate()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

const nested = " is an envelope itself, and KubeFleet does not open nested envelopes: put its contents here, or into a separate fleet_envelope_configmap"

func TestValidateOfNames(t *testing.T) {
	spec := Spec{
		Name: "Not_A_Name", Namespace: "not.a.label", Labels: map[string]string{"a b": "x", "c": "d e"}, Annotations: map[string]string{"a b": "x"},
		Manifests: map[string]string{"a/b": "{apiVersion: v1, kind: Namespace, metadata: {name: x}}"},
	}
	var got []string
	for _, p := range spec.Validate() {
		if p.Warning || p.Message == "" {
			t.Errorf("got %+v", p)
		}
		got = append(got, p.Path.String())
	}
	want := []string{"name", "namespace", `labels["a b"]`, `labels["c"]`, `annotations["a b"]`, `manifests["a/b"]`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSizeAtTheLimit(t *testing.T) {
	quota := "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}}"
	spec := Spec{Name: "e", Namespace: "app", Manifests: map[string]string{"q": quota + strings.Repeat(" ", MaxSize-len(quota))}}
	if problems := spec.Validate(); len(problems) > 0 {
		t.Error(problems)
	}
}
