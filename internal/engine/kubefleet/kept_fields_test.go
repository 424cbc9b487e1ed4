package kubefleet_test

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// A plan warns about a field that leaves the manifest if the agent does not remove it. The field on the member confirms that.
func TestKeptFields(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	for how, keeps := range map[placement.ApplyType]bool{placement.ServerSideApply: true, placement.ClientSideApply: false} {
		t.Run(string(how), func(t *testing.T) {
			t.Parallel()
			w := newEnveloped(t, placement.ApplyStrategy{Type: how},
				"{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $ns-app}, data: {greeting: hello, b: x}}")
			w.DeleteAtEnd(w.request)
			w.apply()
			later := w.envelope.Spec
			later.Manifests = w.Manifests(inSetting)
			if preview, got := w.previewWith(&later); warns(preview, "remain on members") != keeps {
				t.Errorf("%s, dangers: %+v", got, preview.Dangers)
			}
			before := w.envelope
			if _, err := w.engine.ApplyEnvelope(w.Context(), later, &before); err != nil {
				t.Fatal(err)
			}
			w.apply()
			if b := w.Value(w.Members[0], "v1 ConfigMap $ns-app/settings", "data", "b"); (b != nil) != keeps {
				t.Errorf("data.b is %v", b)
			}
		})
	}
}
