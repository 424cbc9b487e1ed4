package envelope

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

func TestEncodeAndDecode(t *testing.T) {
	const role = "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: reader}}"
	const quota = "{apiVersion: v1, kind: ResourceQuota, metadata: {name: limits, namespace: app}, spec: {hard: {pods: \"5\"}}}"
	tests := map[Type]map[string]string{
		TypeConfigMap:               {"role.yaml": role, "quota.yaml": quota},
		TypeResourceEnvelope:        {"quota.yaml": quota},
		TypeClusterResourceEnvelope: {"role.yaml": role},
	}
	for _, name := range Type("").Values() {
		format := Type(name)
		t.Run(name, func(t *testing.T) {
			spec := Spec{
				Name: "e", Namespace: "app", Labels: map[string]string{"a": "b"}, Annotations: map[string]string{Annotation: "true"}, Manifests: tests[format],
			}
			u, err := spec.Encode(format)
			if err != nil {
				t.Fatal(err)
			}
			if u.GroupVersionKind() != format.Kind() {
				t.Errorf("%s is not the kind of the format %s", u.GroupVersionKind(), format)
			}
			opened, errs := Open([]manifest.Object{manifest.NewObject(u, nil)})
			if len(errs) > 0 || len(opened) != len(spec.Manifests) {
				t.Errorf("opened: %v %v", opened, errs)
			}
			back, is, err := Decode(u)
			if err != nil || is != format {
				t.Fatal(is, err)
			}
			for key, text := range spec.Manifests {
				if !manifest.Equivalent(text, back.Manifests[key]) {
					t.Errorf("%s came back as %s", text, back.Manifests[key])
				}
			}
			back.Manifests = spec.Manifests
			if diff := cmp.Diff(spec, back); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEncodeWhatIsNoObject(t *testing.T) {
	spec := Spec{Name: "e", Namespace: "app", Manifests: map[string]string{"bad.yaml": "just text"}}
	if _, err := spec.Encode(TypeResourceEnvelope); err == nil {
		t.Error("a text was encoded as an object")
	}
	if _, err := spec.Encode(TypeConfigMap); err != nil {
		t.Error(err)
	}
}

func TestDecodeAnotherKind(t *testing.T) {
	u := Spec{Name: "e", Namespace: "app"}.ConfigMap()
	u.SetKind("Secret")
	if _, _, err := Decode(u); err == nil {
		t.Error("a Secret was decoded as an envelope")
	}
}
