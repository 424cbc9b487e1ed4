package engine

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// SameRun is the run that the removal of a placement is part of. Its methods are safe for concurrent use.
type SameRun interface {
	// Fate returns what the run does with another placement, or [FateUnknown] if this is not known yet.
	Fate(placement string) Fate
	// Await waits until the fate of one of the placements may have changed. It returns false if waiting is useless: the run does not remove them, or cannot do so
	// while this removal waits. It also returns false if the context ends.
	Await(ctx context.Context, placements []string) bool
}

// Fate is what a run does with a placement.
type Fate int

const (
	// FateKept is for a placement that the run keeps.
	FateKept Fate = iota
	// FateUnknown is for a placement whose removal the run has neither planned nor started. The run may remove the placement later, or does not contain it.
	FateUnknown
	// FatePlanned is for a placement whose removal is planned.
	FatePlanned
	// FateRemoving is for a placement whose removal has begun, or is complete.
	FateRemoving
)

// Occupied is a Namespace or definition of a placement. Its deletion is planned on the condition that the run removes other placements as well.
type Occupied struct {
	manifest.Identifier
	Cluster, Placement string
	// Open are the other placements.
	Open []string
}
