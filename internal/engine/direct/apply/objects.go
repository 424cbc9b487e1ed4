package apply

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// objects returns the results of the objects. It omits objects that the apply did not reach, and objects that needed no change and that the apply does not wait
// for.
func (r *run) objects() []engine.ObjectResult {
	var out []engine.ObjectResult
	for _, name := range r.plan.Names() {
		c := r.clusters[name]
		for _, i := range c.All() {
			o := c.Outcome(&i.Object)
			if o == nil || o.Failure == nil && o.Waiting == nil && i.Action == takeover.ActionNone {
				continue
			}
			out = append(out, engine.ObjectResult{
				Cluster: name, Identifier: i.Identifier, Action: i.Action, Obstacle: i.Obstacle, Owner: i.Owner, Failure: o.Failure, Waiting: o.Waiting,
				Missing: o.Missing,
			})
		}
	}
	return out
}
