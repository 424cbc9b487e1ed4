package placement

import (
	"slices"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// NewDiffed returns the record of an object that was observed to differ at a time. As in KubeFleet, it keeps FirstObservedTime from prior as long
// as the object differs. It also keeps ObservationTime if the differences are the same, so that a repeated check changes nothing.
func NewDiffed(id manifest.Identifier, diffs []PatchDetail, generation int64, prior ClusterStatus, at time.Time) DiffedPlacement {
	out := DiffedPlacement{Identifier: id, Observation: newObservation(generation, at), ObservedDiffs: diffs}
	for _, before := range prior.DiffedPlacements {
		if before.Key() == id.Key() {
			out.Observation = out.withEarlierTimes(before.Observation, slices.Equal(before.ObservedDiffs, diffs))
		}
	}
	return out
}

// NewDrifted returns the record of an object that was observed to have drifted at a time; see [NewDiffed].
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
