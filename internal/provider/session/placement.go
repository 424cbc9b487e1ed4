package session

import (
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// placementInRun is what the resources and data sources of a run have recorded about the placement of one name.
type placementInRun struct {
	name string
	// existing is the placement in the state of this run that has this name now or is planned to have it; nil for none.
	existing *engine.Placement

	// config is the configuration of the planned placement, until the placement is applied; nil for none.
	config *tftypes.Value
	// placementType is the planned type; nil if the placement is not planned by now.
	placementType *placement.PlacementType
	// isPassedOn reports whether the placement that has this name now is planned to be renamed. formerName is the current name of the placement that is planned
	// to be renamed to this name.
	isPassedOn  bool
	formerName  string
	isDestroyed bool
	// planned is the placement in the plan of a resource; its name is empty if there is none. previewed is the placement in a data source; nil for none.
	planned   PlannedPlacement
	previewed *dataPreview
	// hasBegun reports whether the plan of the placement has begun, and isShown whether its preview was printed.
	hasBegun, isShown bool
	totals            totals

	// objects are the existing objects in the plan; nil if the placement is not planned by now.
	objects *PlannedObjects
	// claims are the objects that the placement owns according to its plan, until it is applied.
	claims engine.Claims
	// takes has what the placement takes over according to its plan, by giver. readTakes has the same according to the preview of a data source.
	takes, readTakes map[string]engine.Taker
	// isRefused reports whether a plan returns an error about a hand-over from or to the placement.
	isRefused bool
	// occupied are the deletions that the plan makes conditional on the removal of other placements.
	occupied []engine.Occupied
	// definer has the kinds that the manifests define. lacks are the kinds that the placement needs and that no placement is known to define, until the placement
	// itself is applied.
	definer definer
	lacks   []engine.Lack

	// isApplied reports whether an apply of the placement has ended in this process.
	isApplied bool
	// removal is the removal that has started; nil for none.
	removal *Removal
	// successor is a placement that this run has created and that could not place objects of this placement.
	successor Successor
}

// lock returns the placement with a name, and leaves the session locked. The caller unlocks it.
func (s *Session) lock(name string) *placementInRun {
	s.mu.Lock()
	return s.placement(name)
}

// placement returns the placement with a name, and creates it if needed. The caller holds the lock.
func (s *Session) placement(name string) *placementInRun {
	if s.placements[name] == nil {
		put(&s.placements, name, &placementInRun{name: name})
	}
	return s.placements[name]
}

// sorted returns the placements in the order of their names. The caller holds the lock.
func (s *Session) sorted() []*placementInRun {
	return slices.SortedFunc(maps.Values(s.placements), func(a, b *placementInRun) int { return strings.Compare(a.name, b.name) })
}
