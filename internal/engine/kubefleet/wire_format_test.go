package kubefleet_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
)

// An envelope is stored in the objects of its format, and in no others after a change of the format. Manifests that a format cannot contain are rejected
// before anything is written.
func TestWireFormats(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	e := w.Engine()
	quota := map[string]string{"quota.yaml": w.Expand("{apiVersion: v1, kind: ResourceQuota, metadata: {name: quota, namespace: $ns}, spec: {hard: {pods: 5}}}")}
	role := map[string]string{"role.yaml": w.Expand("{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: $ns}}")}
	spec := envelope.Spec{Namespace: w.Name, Name: "formats"}
	var prior *engine.Envelope
	for _, c := range []struct {
		format    envelope.WireFormat
		manifests map[string]string
		kept      []string
	}{
		{envelope.FormatConfigMap, quota, []string{"ConfigMap"}},
		{envelope.FormatResourceEnvelope, quota, []string{"ResourceEnvelope"}},
		{envelope.FormatResourceEnvelope, role, nil},
		{envelope.FormatClusterResourceEnvelope, quota, nil},
		{envelope.FormatClusterResourceEnvelope, role, []string{"ClusterResourceEnvelope"}},
		{envelope.FormatAuto, quota, []string{"ResourceEnvelope"}},
	} {
		spec.WireFormat, spec.Manifests = c.format, c.manifests
		_, known, selectorsErr := e.EnvelopeSelectors(w.Context(), spec)
		written, err := e.ApplyEnvelope(w.Context(), spec, prior)
		if c.kept == nil {
			for _, err := range []error{selectorsErr, err} {
				if limited, is := errors.AsType[*engine.LimitationError](err); !is || limited.Path.String() != "wire_format" {
					t.Errorf("%s: %v", c.format, err)
				}
			}
			continue
		}
		if err != nil || selectorsErr != nil || !known {
			t.Fatalf("%s: %v, %v", c.format, err, selectorsErr)
		}
		prior = &written
		read, err := e.ReadEnvelope(w.Context(), engine.Reference{Namespace: w.Name, Name: "formats"}, nil)
		var kinds []string
		for _, object := range read.Objects {
			kinds = append(kinds, object.Kind)
		}
		if !slices.Equal(kinds, c.kept) || err != nil {
			t.Errorf("%s is kept in %v: %v", c.format, kinds, err)
		}
	}
	if err := e.DeleteEnvelope(w.Context(), *prior); err != nil {
		t.Error(err)
	}
}
