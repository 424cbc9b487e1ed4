package predict

import (
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
)

// BindingPart is how much of a placement's name begins the names of its bindings.
const BindingPart = 26

// StopsScheduler reports whether the hub's scheduler stops at a placement of a name: the name of a binding must not have a dot.
func StopsScheduler(placement string) bool {
	return strings.Contains(placement[:min(len(placement), BindingPart)], ".")
}

// IsBlocked reports whether the scheduler has stopped at the placement, so that it never comes to a cluster that it is to be on.
func (p *Prediction) IsBlocked() bool { return p.blocked }

// block takes the placement off the clusters that the scheduler would pick, and cannot bind.
func (p *Prediction) block() {
	if p.Removing || p.Fleet.Placement == nil || !StopsScheduler(p.Placement.Name) {
		return
	}
	for _, c := range p.Clusters {
		if !c.placed || c.binding != nil {
			continue
		}
		p.blocked, c.placed = true, false
		c.Decision = schedule.Decision{Cluster: c.Name, Reason: fmt.Sprintf("the hub's scheduler has stopped at this placement, whose name has a dot in its first %d "+
			"characters; place it under a name without one", BindingPart)}
	}
}
