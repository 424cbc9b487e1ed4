package predict

import (
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// movesObjects: every envelope is a Work of its own, and takes over nothing that another one has.
func (p *Prediction) movesObjects() *engine.Danger {
	for _, c := range p.Clusters {
		for _, item := range c.Items {
			if item.Action != takeover.ActionReplace || c.vanishing[item.Key()] == nil {
				continue
			}
			return &engine.Danger{Path: placement.At("resource_selectors"), Title: "an object that moves is deleted first", Message: fmt.Sprintf(
				"The %s on %q is deleted and made anew, with everything that it keeps or that is in it, because %s: the members' agents know every "+
					"envelope by itself, and take over nothing from another one. Leave it where it comes from, in an envelope of the same name and "+
					"wire_format, or save first what is to be kept. What another object on the cluster owns too is not deleted, and is taken over with "+
					"allow_co_ownership = true.", item.Identifier, c.Name, item.Problem)}
		}
	}
	return nil
}
