package kubefleet

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestMayQuote checks that the overrides are read if an agent reports an object that it could not compare: the hub's status then names no object of the cluster.
func TestMayQuote(t *testing.T) {
	t.Parallel()
	failed := []placement.FailedPlacement{{Condition: placement.Condition{Type: placement.DiffReported, Status: placement.False}}}
	for name, c := range map[string]struct {
		overrides []string
		status    []placement.FailedPlacement
		report    []placement.FailedPlacement
		want      bool
	}{
		"in the status":             {overrides: []string{"sensitive"}, status: failed, want: true},
		"in the report of an agent": {overrides: []string{"sensitive"}, report: failed, want: true},
		"no object":                 {overrides: []string{"sensitive"}},
		"no override":               {status: failed, report: failed},
	} {
		p := progress{
			status: placement.Status{Clusters: map[string]placement.ClusterStatus{
				"member-1": {ApplicableClusterResourceOverrides: c.overrides, FailedPlacements: c.status},
			}},
			reports: map[string]report{"member-1": {failed: c.report}},
		}
		if got := p.mayQuote(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
