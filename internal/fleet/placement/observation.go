package placement

import (
	"slices"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// NewDiffed returns an object that differed at a time. As in KubeFleet, it keeps the time of the first observation from prior as long as the
// object differs. The time of the observation changes only with the observed differences, so that a repeated check changes nothing.
func NewDiffed(id manifest.Identifier, diffs []PatchDetail, generation int64, prior ClusterStatus, at time.Time) DiffedPlacement {
	out := DiffedPlacement{Identifier: id, Observation: newObservation(generation, at), ObservedDiffs: diffs}
	for _, before := range prior.DiffedPlacements {
		if before.Key() == id.Key() {
			out.Observation = out.withEarlierTimes(before.Observation, slices.Equal(before.ObservedDiffs, diffs))
		}
	}
	return out
}

// NewDrifted returns an object that had drifted at a time; see [NewDiffed].
func NewDrifted(id manifest.Identifier, drifts []PatchDetail, generation int64, prior ClusterStatus, at time.Time) DriftedPlacement {
	out := DriftedPlacement{Identifier: id, Observation: newObservation(generation, at), ObservedDrifts: drifts}
	for _, before := range prior.DriftedPlacements {
		if before.Key() == id.Key() {
			out.Observation = out.withEarlierTimes(before.Observation, slices.Equal(before.ObservedDrifts, drifts))
		}
	}
	return out
}

func newObservation(generation int64, at time.Time) Observation {
	text := at.UTC().Format(time.RFC3339)
	return Observation{ObservationTime: text, FirstObservedTime: text, TargetClusterObservedGeneration: generation}
}

func (o Observation) withEarlierTimes(before Observation, same bool) Observation {
	o.FirstObservedTime = before.FirstObservedTime
	if same {
		o.ObservationTime = before.ObservationTime
	}
	return o
}
