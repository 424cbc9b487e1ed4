package kube

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// When an API server rejects a patch, its message repeats the whole object. The shortened message must still contain the reason.
func TestRefusalsAreNotEchoed(t *testing.T) {
	object := map[string]any{"kind": "ConfigMap", "data": map[string]any{"a": int64(1), "text": strings.Repeat(`"quoted" text: `, 100)}}
	labels := map[string]any{"matchLabels": map[string]any{"app": strings.Repeat("a", 200)}}
	invalid := func(kind schema.GroupKind, name, at string, value any, detail string) error {
		return apierrors.NewInvalid(kind, name, field.ErrorList{field.Invalid(field.NewPath(at), value, detail)})
	}
	const unmarshal = "json: cannot unmarshal number into Go struct field ConfigMap.data of type string"
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"a patch": {
			invalid(schema.GroupKind{}, "", "patch", fmt.Sprintf("%+v", object), unmarshal), "rejected (422): patch: Invalid value: …: " + unmarshal,
		},
		"a short value": {
			invalid(configMapGVK.GroupKind(), "a", "spec.replicas", -3, "must be greater than or equal to 0"),
			`rejected (422): ConfigMap "a" is invalid: spec.replicas: Invalid value: -3: must be greater than or equal to 0`,
		},
		"a short text": {
			invalid(configMapGVK.GroupKind(), "a", "metadata.name", "A_b", "a lowercase name"),
			`rejected (422): ConfigMap "a" is invalid: metadata.name: Invalid value: "A_b": a lowercase name`,
		},
		"a long object": {
			invalid(configMapGVK.GroupKind(), "a", "spec.selector", labels, "field is immutable"),
			`rejected (422): ConfigMap "a" is invalid: spec.selector: Invalid value: …: field is immutable`,
		},
	} {
		wrapped := (&Cluster{name: "member-1"}).wrap(opPatch, Ref{GVK: configMapGVK, Namespace: "web", Name: "a"}, c.err)
		if dressed := (*Error)(nil); !errors.As(wrapped, &dressed) || !strings.HasSuffix(wrapped.Error(), ": "+c.want) {
			t.Errorf("%s: %v", name, wrapped)
		}
	}
}
