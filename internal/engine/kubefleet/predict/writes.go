package predict

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Write is a change that an agent is predicted to make to an object on a member.
type Write struct {
	Cluster string
	manifest.Identifier
	Action takeover.Action
	Owner  takeover.Owner
	// Removes reports that the object leaves the placement. WithWork reports that the hub may delete the whole Work of the object.
	Removes, WithWork bool
}

// Writes lists the predicted changes in the order of the clusters. It omits objects that could not be checked.
func (p *Prediction) Writes() []Write {
	var out []Write
	for _, c := range p.Clusters {
		withWork := len(c.deletedWorks()) > 0
		add := func(o *memberpreview.Object, removes bool) {
			if o.Action.Writes() && o.Action != takeover.ActionUnknown {
				out = append(out, Write{
					Cluster: c.Name, Identifier: o.Identifier, Action: o.Action, Owner: o.Owner, Removes: removes, WithWork: removes && withWork,
				})
			}
		}
		for _, o := range c.Items {
			add(o, false)
		}
		for _, o := range c.Leftovers {
			add(o, true)
		}
	}
	return out
}

// Result returns the object result for a change that the agent has made.
func (w Write) Result() engine.ObjectResult {
	return engine.ObjectResult{Cluster: w.Cluster, Identifier: w.Identifier, Action: w.Action, Owner: w.Owner}
}
