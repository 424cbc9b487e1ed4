package predict

import (
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
)

// StopsScheduler reports whether the hub's scheduler stops at a placement of this name. The names of bindings begin with the first [schedule.MaxPlacementPart]
// characters of the name of the placement, and this part must not contain a dot.
func StopsScheduler(placement string) bool {
	return strings.Contains(placement[:min(len(placement), schedule.MaxPlacementPart)], ".")
}

// IsBlocked reports whether the scheduler has stopped at the placement, so that at least one picked cluster never gets the placement.
func (p *Prediction) IsBlocked() bool { return p.blocked }

// block marks the clusters that the scheduler picks but cannot bind as not placed.
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
			"characters; place it under a name without one", schedule.MaxPlacementPart)}
	}
}
