package model

import (
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// Removed counts what a removal does to objects: deleted, deleted if another placement is removed, handed over, kept, and unknown because they could
// not be checked.
type Removed struct{ Deleted, Occupied, Handed, Kept, Unknown int }

func remaining(c engine.ClusterPreview) Removed {
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

// Removed returns the sum over all clusters.
func (r *Report) Removed() Removed {
	var out Removed
	for _, c := range r.Clusters {
		out.Deleted += c.Removed.Deleted
		out.Occupied += c.Removed.Occupied
		out.Handed += c.Removed.Handed
		out.Kept += c.Removed.Kept
		out.Unknown += c.Removed.Unknown
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

// Removal returns the numbers of a removal over all clusters.
func (r *Report) Removal() string {
	parts := r.Removed().format([5]string{
		"%d to delete", "%d to delete if another placement is removed", "%d handed over", "%d left on the cluster", "%d to remove that could not be checked",
	})
	offline, unrecorded, unconnected := 0, 0, 0
	for _, c := range r.Clusters {
		switch {
		case c.Unconnected:
			unconnected++
		case c.Err != "":
			offline++
		case c.RecordLost:
			unrecorded++
		}
	}
	for _, part := range []struct {
		n    int
		text string
	}{{offline, " NOT CHECKED"}, {unrecorded, " WITHOUT ITS RECORD"}, {unconnected, " GIVEN UP"}} {
		if part.n > 0 {
			parts = append(parts, words.Count(part.n, "cluster")+part.text)
		}
	}
	if len(parts) == 0 {
		return "nothing to delete"
	}
	return strings.Join(parts, ", ")
}

// DeletesNothing reports whether a removal is known to keep every object.
func (r *Report) DeletesNothing() bool {
	for _, c := range r.Clusters {
		if c.Err != "" && !c.Unconnected || c.Removed.Deleted+c.Removed.Unknown > 0 {
			return false
		}
	}
	return true
}
