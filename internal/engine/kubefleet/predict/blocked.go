package predict

import (
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
)

// BindingPart is the length of the prefix of a placement's name with which the names of its bindings begin.
const BindingPart = 26

// StopsScheduler reports whether the hub's scheduler stops at a placement of this name: the name of a binding must not contain a dot.
func StopsScheduler(placement string) bool {
	return strings.Contains(placement[:min(len(placement), BindingPart)], ".")
}

// IsBlocked reports whether the scheduler has stopped at the placement, so that it never reaches a cluster that it should be on.
func (p *Prediction) IsBlocked() bool { return p.blocked }

// block removes the placement from the clusters that the scheduler would pick and cannot bind.
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
