package memberpreview

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Assume settles the items on a member that must not be checked because its state is assumed, and reports whether it is such a member. It returns an
// *[engine.AssumedError] for an unreachable member. On a new member without a connection, every item is created.
func Assume(world engine.World, member string, isConnected bool, items []*Object) (isSettled bool, err error) {
	assumed := world.Assumed[member]
	if assumed == engine.AssumeUnreachable {
		return true, &engine.AssumedError{Member: member, Assumption: assumed}
	}
	if assumed != engine.AssumeNew || isConnected {
		return false, nil
	}
	for _, item := range items {
		item.Action = takeover.ActionCreate
	}
	return true, nil
}
