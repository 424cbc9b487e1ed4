package model

import (
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Removed counts what a removal does to objects: deleted, deleted if another placement is removed, handed over, kept, and unknown because they could
// not be checked.
type Removed struct{ Deleted, Occupied, Handed, Kept, Unknown int }

func countRemoved(c engine.ClusterPreview) Removed {
	var out Removed
	for _, o := range c.Objects {
		switch o.Action {
		case takeover.ActionPrune:
			out.Deleted++
		case takeover.ActionHandOver:
			out.Handed++
		case takeover.ActionUnknown:
			out.Unknown++
		case takeover.ActionNone:
			if o.Exists {
				out.Kept++
			}
		case takeover.ActionDefer:
			out.Occupied++
		case takeover.ActionOrphan, takeover.ActionCreate, takeover.ActionUpdate, takeover.ActionReplace, takeover.ActionTakeOver,
			takeover.ActionTakeOverFrom, takeover.ActionLeaveAlone, takeover.ActionLeaveDrifted, takeover.ActionReject, takeover.ActionReport:
			out.Kept++
		}
	}
	return out
}

// format writes the numbers in the order of the fields, without zeros.
func (r Removed) format(formats [5]string) []string {
	var out []string
	for i, n := range [5]int{r.Deleted, r.Occupied, r.Handed, r.Kept, r.Unknown} {
		if n > 0 {
			out = append(out, fmt.Sprintf(formats[i], n))
		}
	}
	return out
}

// String returns the numbers of one cluster, "" if it has no object.
func (r Removed) String() string {
	return strings.Join(r.format([5]string{"DELETE %d", "DELETE if another placement is removed: %d", "hand over %d", "keep %d", "not checked: %d"}), ", ")
}
