package kubefleet

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// An empty list of clusters is rejected at its attribute: a hub would neither remove the placed objects nor report anything.
func TestNobodyNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		policy placement.Policy
		want   string
	}{
		"nobody":      {placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{}}, "policy.cluster_names"},
		"somebody":    {placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"a"}}, ""},
		"a number, 0": {placement.Policy{PlacementType: placement.PickN, NumberOfClusters: new(int32(0))}, ""},
	} {
		got := ""
		for _, limitation := range (&Engine{}).CheckPlacement(engine.Placement{Spec: placement.Spec{
			Policy: &c.policy, ResourceSelectors: []placement.ResourceSelector{{Version: "v1", Kind: "Namespace", Name: "web"}},
		}}) {
			got += limitation.Path.String()
			if limitation.Ignored {
				t.Errorf("%s: only a warning", name)
			}
		}
		if got != c.want {
			t.Errorf("%s: refused at %q, want %q", name, got, c.want)
		}
	}
}

// An object from which an agent would remove the temporary owner cannot be kept when the placement is deleted.
func TestAbandonWithCoOwnership(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		apply placement.ApplyStrategy
		want  string
	}{
		"client-side":          {placement.ApplyStrategy{AllowCoOwnership: new(true)}, "strategy.delete_strategy.propagation_policy"},
		"server-side":          {placement.ApplyStrategy{AllowCoOwnership: new(true), Type: placement.ServerSideApply}, ""},
		"without other owners": {placement.ApplyStrategy{AllowCoOwnership: new(false)}, ""},
	} {
		got := ""
		for _, limitation := range (&Engine{}).CheckPlacement(engine.Placement{Spec: placement.Spec{
			ResourceSelectors: []placement.ResourceSelector{{Version: "v1", Kind: "Namespace", Name: "web"}},
			Strategy: &placement.Strategy{
				ApplyStrategy: &c.apply, DeleteStrategy: &placement.DeleteStrategy{PropagationPolicy: placement.AbandonObjects},
			},
		}}) {
			got += limitation.Path.String()
		}
		if got != c.want {
			t.Errorf("%s: refused at %q, want %q", name, got, c.want)
		}
	}
}
