package direct_test

import (
	"context"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestBrokenOverride checks that an override that cannot be applied to an object stops the placement on that cluster: nothing is written or deleted there.
func TestBrokenOverride(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := strategy(w.newRequest("broken", configMap("broken", "1")), placement.ClientSideApply, placement.TakeOverIfNoDiff)
	w.DeleteAtEnd(request)
	status := w.Apply(request).Status
	broken := engine.Override{
		Reference: override.Reference{Namespace: w.Expand("$ns"), Name: "broken"},
		Namespaced: &override.Spec{
			ResourceSelectors: []override.Selector{{Version: "v1", Kind: "ConfigMap", Name: "broken"}},
			Policy: &override.Policy{OverrideRules: []override.Rule{{
				ClusterSelector:    &override.ClusterSelector{ClusterSelectorTerms: []placement.ClusterSelectorTerm{}},
				JSONPatchOverrides: []override.Patch{{Operation: "remove", Path: "/data/missing"}},
			}}},
		},
	}
	if _, err := w.Engine().ApplyOverride(t.Context(), broken, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Engine().DeleteOverride(context.Background(), broken); err != nil {
			t.Error(err)
		}
	})

	request.Manifests = w.Manifests(configMap("broken", "2"))
	preview, err := request.After(status).Preview(t.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range preview.Clusters {
		if c.Problem == "" {
			t.Errorf("%s: the preview does not report that the override cannot be applied: %+v", c.Name, c)
		}
		for _, o := range c.Objects {
			if o.Action == takeover.ActionPrune || o.Action == takeover.ActionUpdate {
				t.Errorf("%s: %s of %s is planned", c.Name, o.Action, o.Identifier)
			}
		}
	}
	result, err := request.After(status).Apply(t.Context(), w.Engine())
	if err == nil && result.Status.Is(placement.Overridden) {
		t.Errorf("the status does not report that the override failed: %+v", result.Status)
	}
	for _, name := range w.Members {
		if got := w.value(name, "broken"); got != "1" {
			t.Errorf("%s has %q", name, got)
		}
	}
}
