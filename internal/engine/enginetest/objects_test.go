package enginetest

import (
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/crds"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
)

// The objects that a KubeFleet hub gets for the examples are valid under the hub's CRDs.
func TestObjectsOfTheExamples(t *testing.T) {
	generated, err := crds.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	t.Run("generated", func(t *testing.T) { validateExamples(t, generated) })
	t.Run("published", func(t *testing.T) {
		for release, definitions := range crds.Published(t) {
			t.Run(release, func(t *testing.T) { validateExamples(t, definitions) })
		}
	})
}

func validateExamples(t *testing.T, definitions []*unstructured.Unstructured) {
	t.Helper()
	valid := func(u *unstructured.Unstructured, err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
			return
		}
		for _, problem := range crds.Validate(definitions, u) {
			t.Errorf("%s %s%s", u.GetKind(), u.GetName(), problem)
		}
	}
	for _, e := range examples {
		e.spec, e.envelope = named(t, e.spec), named(t, e.envelope)
		object := v1beta1.ClusterResourcePlacement{Spec: convert.FromPlacementSpec(e.spec)}
		object.Name = e.name
		for _, version := range []string{"v1beta1", "v1"} {
			kind := v1beta1.GroupVersion.WithKind(v1beta1.ClusterResourcePlacementKind)
			kind.Version = version
			valid(codec.Encode(object, kind))
		}
		if e.envelope != nil {
			for _, as := range []envelope.Type{envelope.TypeResourceEnvelope, envelope.TypeClusterResourceEnvelope} {
				valid(e.envelope.Encode(as))
			}
		}
	}
}

// named replaces $ns by a name in the texts of an example.
func named[T any](t *testing.T, value T) T {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var out T
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(data), "$ns", "example")), &out); err != nil {
		t.Fatal(err)
	}
	return out
}
