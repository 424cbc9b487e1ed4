package kubefleet_test

import (
	"math/rand/v2"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// randomPolicy returns a policy of a type.
func randomPolicy(r *rand.Rand, which placement.PlacementType, members []string) *placement.Policy {
	out := &placement.Policy{PlacementType: which}
	if which == placement.PickFixed {
		for _, i := range r.Perm(len(members))[:1+r.IntN(len(members))] {
			out.ClusterNames = append(out.ClusterNames, members[i])
		}
		return out
	}
	affinity := placement.ClusterAffinity{}
	if r.IntN(2) == 0 {
		affinity.Required = &placement.ClusterSelector{ClusterSelectorTerms: []placement.ClusterSelectorTerm{enginetest.RandomTerm(r)}}
	}
	if which == placement.PickN {
		out.NumberOfClusters = new(int32(1 + r.IntN(3))) //nolint:gosec // few
		if r.IntN(3) > 0 {
			affinity.Preferred = []placement.PreferredClusterSelector{{Weight: 100, Preference: enginetest.RandomTerm(r)}}
		}
	}
	if affinity.Required != nil || affinity.Preferred != nil {
		out.Affinity = &placement.Affinity{ClusterAffinity: &affinity}
	}
	return out
}

// randomStrategy returns a strategy with which a hub takes over no object that it only reports on.
func randomStrategy(r *rand.Rand) placement.Strategy {
	modes := []placement.WhenToTakeOver{placement.TakeOverAlways, placement.TakeOverIfNoDiff, placement.TakeOverNever}
	how := &placement.ApplyStrategy{WhenToTakeOver: modes[r.IntN(len(modes))]}
	switch r.IntN(6) {
	case 0:
		how.Type, how.WhenToTakeOver = placement.ReportDiff, placement.TakeOverNever
	case 1:
		how.Type, how.ServerSideApplyConfig = placement.ServerSideApply, &placement.ServerSideApplyConfig{Force: new(true)}
	}
	out := placement.Strategy{ApplyStrategy: how}
	switch r.IntN(6) {
	case 0:
		out.Type = placement.ExternalStrategy
	case 1:
	default:
		out.RollingUpdate = &placement.RollingUpdate{MaxUnavailable: "100%"}
	}
	if r.IntN(4) == 0 {
		out.DeleteStrategy = &placement.DeleteStrategy{PropagationPolicy: placement.AbandonObjects}
	}
	return out
}
