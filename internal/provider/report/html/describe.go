package html

import (
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

// Effects that are not actions: a write that replaces Pods, a workload whose Pods need a missing object, an update that overwrites values of others, and the
// creation of an object that the placement had written and that was deleted since.
const (
	restart     = "restart"
	unavailable = "unavailable"
	overwrite   = "overwrite"
	again       = "again"
)

// A detail with the text "" is not shown.
type detail struct{ label, text string }

// describeRow returns the details of an object, without the action and the fields.
func describeRow(r *model.Report, o *model.Row) []detail {
	out := []detail{{"Owner", o.Owner}, {"Reason", o.Reason}, {"Why", o.Why}}
	if o.Equal {
		out = append(out, detail{"Comparison", "no difference found"})
	}
	if len(o.Drifts) > 0 {
		out = append(out, detail{"Reported as drifted", strings.Join(o.Drifts, ", ")})
	}
	switch o.Action {
	case takeover.ActionCreate:
		if o.Placement != "" {
			out = append(out, detail{"When", "created after the placement " + o.Placement + " has provided the kind. The object was not checked, because the clusters do not serve the kind yet."})
		}
	case takeover.ActionTakeOverFrom:
		giver := o.Placement
		if !o.Created {
			giver += " (pre-existing)"
		}
		out = append(out, detail{"From placement", giver})
	case takeover.ActionHandOver:
		out = append(out, detail{"To placement", o.Placement})
	case takeover.ActionReplace, takeover.ActionPrune:
		out = append(out, detail{"What is deleted with it", o.DescribeContents()})
		if r.External {
			out = append(out, detail{"When", strings.TrimSpace(model.ByRun)})
		}
	case takeover.ActionReject:
		out = append(out, detail{"Next", r.Retries()})
	case takeover.ActionReport:
		out = append(out, detail{"Report", o.Result})
		if o.Obstacle != takeover.ObstacleNone {
			out = append(out, detail{"Message", o.Message})
		}
	case takeover.ActionDefer:
		if o.Obstacle == takeover.ObstacleOccupied {
			out = append(out, detail{"When", "deleted if the run also removes the other placements whose objects it contains"})
		} else {
			out = append(out, detail{"When", "deleted by the next apply, because no plan has shown the deletion yet"})
		}
	case takeover.ActionNone, takeover.ActionUpdate, takeover.ActionTakeOver, takeover.ActionLeaveAlone, takeover.ActionLeaveDrifted, takeover.ActionOrphan,
		takeover.ActionUnknown:
	}
	return out
}

func describeLacking(l *model.Lacking) []detail {
	return []detail{{"Missing objects that its Pods need", strings.Join(l.Absent, ", ")}, {"Deleted by this plan", strings.Join(l.Deleted, ", ")}}
}

func describeCluster(c *model.Cluster) cluster {
	out := cluster{Name: c.Name, Picked: "no", Why: c.Cause, What: c.Tally + c.Record, Checks: c.Checks, State: "skipped"}
	if c.Picked {
		out.Picked, out.State = "yes", ""
	}
	if c.Scores != "" {
		out.Picked += ", " + c.Scores
	}
	if c.RecordLost {
		out.What = strings.TrimPrefix(out.What+"; "+c.Lost(model.RecordedAgain), "; ")
	}
	switch {
	case c.Problem != "":
		out.What, out.Checks, out.State = "cannot be placed: "+c.Problem, "", "blocked"
	case c.Err != "":
		out.What, out.Checks, out.State = "not known", "not checked: "+c.Err, "unchecked"
		if c.Remains {
			out.What = "no longer picked: its objects remain until an apply reaches the cluster"
		}
	}
	if c.Joining {
		out.What += ", after joining the fleet"
	}
	return out
}
