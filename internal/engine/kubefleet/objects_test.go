package kubefleet

import (
	"fmt"
	"slices"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// A predicted change counts as made when the hub reports it: by the condition of its cluster, by its agent's report, or by the absence of Works.
func TestObjectsOfResult(t *testing.T) {
	id := func(name string) manifest.Identifier {
		return manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "web", Name: name}
	}
	cluster := func(through string, status string, failed ...placement.FailedPlacement) placement.ClusterStatus {
		out := placement.ClusterStatus{FailedPlacements: failed}
		for _, conditionType := range []string{
			placement.Scheduled, placement.RolloutStarted, placement.Overridden, placement.WorkSynchronized, placement.Applied, placement.Available,
		} {
			c := placement.Condition{Type: conditionType, Status: placement.True, ObservedGeneration: 2}
			if conditionType == through {
				c.Status = status
				out.Conditions = append(out.Conditions, c)
				break
			}
			out.Conditions = append(out.Conditions, c)
		}
		return out
	}
	failed := func(name, conditionType, reason string) placement.FailedPlacement {
		return placement.FailedPlacement{Identifier: id(name), Condition: placement.Condition{Type: conditionType, Status: placement.False, Reason: reason}}
	}
	takes := func(name string) predict.Write {
		return predict.Write{Cluster: "a", Identifier: id(name), Action: takeover.ActionTakeOver}
	}
	removes := func(withWork bool) predict.Write {
		return predict.Write{Cluster: "a", Identifier: id("gone"), Action: takeover.ActionPrune, Removes: true, WithWork: withWork}
	}
	current := report{complete: true, applied: map[manifest.Key]bool{id("x").Key(): true}}
	deleting := current
	deleting.leaving = true
	old := cluster(placement.Applied, placement.True)
	for i := range old.Conditions {
		old.Conditions[i].ObservedGeneration = 1
	}
	refused := cluster(placement.Applied, placement.False, failed("y", placement.Applied, "ManifestApplyFailed"))
	for name, c := range map[string]struct {
		at     placement.ClusterStatus
		report report
		// leaves reports that the placement leaves the cluster. leaving reports that the cluster is not clean yet.
		leaves, leaving, unsettled, external bool
		writes                               []predict.Write
		want                                 []string
	}{
		"applied":              {at: cluster(placement.Applied, placement.True), writes: []predict.Write{takes("x")}, want: []string{"take_over x"}},
		"applied before":       {at: old, writes: []predict.Write{takes("x")}},
		"of another content":   {at: cluster(placement.Applied, placement.True), unsettled: true, writes: []predict.Write{takes("x")}},
		"by a run":             {at: cluster(placement.Applied, placement.True), external: true, writes: []predict.Write{takes("x")}},
		"held by the rollout":  {at: cluster(placement.RolloutStarted, placement.False), report: current, writes: []predict.Write{takes("x")}},
		"nothing reported yet": {at: cluster(placement.Applied, placement.False), writes: []predict.Write{takes("x")}},
		"another is refused": {
			at: refused, report: current, writes: []predict.Write{takes("x"), takes("y"), takes("z")}, want: []string{"reject y: ManifestApplyFailed", "take_over x"},
		},
		"it is not available": {
			at:     cluster(placement.Available, placement.False, failed("x", placement.Available, "NotAvailableYet")),
			writes: []predict.Write{takes("x")}, want: []string{"take_over x, waiting"},
		},
		"another is not available": {
			at: cluster(placement.Available, placement.False, failed("z", placement.Available, "NotAvailableYet")), want: []string{"none z, waiting"},
		},
		"drifted after the write": {
			at:     cluster(placement.Applied, placement.False, failed("x", placement.Applied, takeover.ReasonFoundDrifts)),
			report: report{complete: true}, writes: []predict.Write{takes("x")}, want: []string{"leave_drifted x: FoundDrifts", "take_over x"},
		},
		"removed from a Work":      {at: cluster(placement.Applied, placement.True), writes: []predict.Write{removes(false)}, want: []string{"prune gone"}},
		"removed from a bad Work":  {at: refused, report: current, writes: []predict.Write{removes(false)}, want: []string{"prune gone", "reject y: ManifestApplyFailed"}},
		"its Work is gone":         {at: cluster(placement.Applied, placement.True), report: current, writes: []predict.Write{removes(true)}, want: []string{"prune gone"}},
		"its Work is going":        {at: cluster(placement.Applied, placement.True), report: deleting, writes: []predict.Write{removes(true)}},
		"its Work is unknown":      {at: cluster(placement.Applied, placement.True), writes: []predict.Write{removes(true)}},
		"its cluster is left":      {leaves: true, writes: []predict.Write{removes(true)}, want: []string{"prune gone"}},
		"its cluster is not clean": {leaves: true, leaving: true, writes: []predict.Write{removes(true)}},
	} {
		t.Run(name, func(t *testing.T) {
			f := rolloutChange{writes: c.writes}
			if c.external {
				f.placement.Spec.Strategy = &placement.Strategy{Type: placement.ExternalStrategy}
			}
			p := progress{known: true, generation: 2, settledContent: !c.unsettled, reports: map[string]report{"a": c.report}}
			p.status.Conditions = []placement.Condition{{Type: placement.Scheduled, Status: placement.True, ObservedGeneration: 2}}
			p.status.Clusters = map[string]placement.ClusterStatus{"a": c.at}
			if c.leaves {
				f.leaving = map[string]string{"a": "not picked"}
				delete(p.status.Clusters, "a")
			}
			if c.leaving {
				p.leaving = map[string]string{"a": "not picked"}
			}
			var got []string
			for _, o := range p.objects(f, p.status) {
				text := fmt.Sprintf("%s %s", o.Action, o.Name)
				switch {
				case o.Failure != nil:
					text += ": " + o.Failure.Reason
				case o.Waiting != nil:
					text += ", waiting"
				}
				got = append(got, text)
			}
			if slices.Sort(got); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
