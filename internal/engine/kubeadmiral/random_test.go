package kubeadmiral_test

import (
	"math/rand/v2"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// randomPolicy returns a policy of any type that a host has.
func randomPolicy(r *rand.Rand, members []string) *placement.Policy {
	affinity := &placement.ClusterAffinity{}
	if r.IntN(2) == 0 {
		affinity.Required = &placement.ClusterSelector{ClusterSelectorTerms: []placement.ClusterSelectorTerm{enginetest.RandomTerm(r)}}
	}
	switch r.IntN(4) {
	case 0:
		out := &placement.Policy{PlacementType: placement.PickFixed}
		for _, i := range r.Perm(len(members))[:1+r.IntN(len(members))] {
			out.ClusterNames = append(out.ClusterNames, members[i])
		}
		return out
	case 1:
		return &placement.Policy{PlacementType: placement.PickAll, Affinity: &placement.Affinity{ClusterAffinity: affinity}}
	default:
		if r.IntN(3) > 0 {
			affinity.Preferred = []placement.PreferredClusterSelector{{Weight: 100, Preference: enginetest.RandomTerm(r)}}
		}
		return &placement.Policy{
			PlacementType: placement.PickN, NumberOfClusters: new(int32(1 + r.IntN(3))), Affinity: &placement.Affinity{ClusterAffinity: affinity}, //nolint:gosec // few
		}
	}
}

func randomStrategy(r *rand.Rand) placement.Strategy {
	modes := []placement.WhenToTakeOver{placement.TakeOverAlways, placement.TakeOverIfNoDiff, placement.TakeOverNever}
	out := placement.Strategy{ApplyStrategy: &placement.ApplyStrategy{WhenToTakeOver: modes[r.IntN(len(modes))]}}
	if r.IntN(4) == 0 {
		out.DeleteStrategy = &placement.DeleteStrategy{PropagationPolicy: placement.AbandonObjects}
	}
	return out
}
