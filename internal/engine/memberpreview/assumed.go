package memberpreview

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Assume decides about the items if the member must not be checked because its state is assumed. isSettled reports whether this is the case. Assume returns an
// *[engine.AssumedError] for a member that is assumed to be unreachable. On a new member without a connection, every item is created.
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
