package placement

import (
	"slices"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// NewDiffed is an object that was seen at a time to differ. What prior says of it is kept as KubeFleet keeps it: the time of the first
// observation while there are any differences. The time of the observation itself changes only with what was observed, so that looking
// again changes nothing.
func NewDiffed(id manifest.Identifier, diffs []PatchDetail, generation int64, prior ClusterStatus, at time.Time) DiffedPlacement {
	out := DiffedPlacement{Identifier: id, Observation: observe(generation, at), ObservedDiffs: diffs}
	for _, before := range prior.DiffedPlacements {
		if before.Key() == id.Key() {
			out.Observation = out.since(before.Observation, slices.Equal(before.ObservedDiffs, diffs))
		}
	}
	return out
}

// NewDrifted is an object that was seen at a time to be drifted; see [NewDiffed].
func NewDrifted(id manifest.Identifier, drifts []PatchDetail, generation int64, prior ClusterStatus, at time.Time) DriftedPlacement {
	out := DriftedPlacement{Identifier: id, Observation: observe(generation, at), ObservedDrifts: drifts}
	for _, before := range prior.DriftedPlacements {
		if before.Key() == id.Key() {
			out.Observation = out.since(before.Observation, slices.Equal(before.ObservedDrifts, drifts))
		}
	}
	return out
}

func observe(generation int64, at time.Time) Observation {
	text := at.UTC().Format(time.RFC3339)
	return Observation{ObservationTime: text, FirstObservedTime: text, TargetClusterObservedGeneration: generation}
}

func (o Observation) since(before Observation, same bool) Observation {
	o.FirstObservedTime = before.FirstObservedTime
	if same {
		o.ObservationTime = before.ObservationTime
	}
	return o
}
