package memberpreview

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Assume decides about the items of a member that must not be checked, because its state is assumed. isSettled is false if the member must be checked: no
// state is assumed, or the member is assumed to be new and has a connection. For a member that is assumed to be unreachable, Assume returns an
// *[engine.AssumedError]. On a new member without a connection, every item is created.
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
