package markdown

import (
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

func listTables(r *model.Report, isReplaced bool) []*table {
	of := func(actions ...takeover.Action) []*model.Row {
		var out []*model.Row
		for _, action := range actions {
			out = append(out, r.Rows[action]...)
		}
		return out
	}
	return []*table{
		objectTable("Pre-existing objects", 12000, of(takeover.ActionLeaveAlone, takeover.ActionTakeOver),
			[]string{"Owner", "What happens", "Differs in"}, func(o *model.Row) []string { return []string{code(o.Owner), describeConflict(o), listFields(o)} }),
		objectTable("Objects that are taken over from other placements", 6000, of(takeover.ActionTakeOverFrom),
			[]string{"From", "Differs in"}, func(o *model.Row) []string { return []string{describeGiver(o), listFields(o)} }).
			introduced("They are not deleted or recreated.").folds(),
		objectTable("Workloads whose Pods restart, or may", 6000, slices.DeleteFunc(of(takeover.ActionTakeOver, takeover.ActionUpdate),
			func(o *model.Row) bool { return o.Restarts() == "" }), []string{"What happens", "Because of"}, describeRestart).folds(),
		objectTable("Objects in which others have set values that the apply overwrites", 6000, slices.DeleteFunc(of(takeover.ActionUpdate),
			func(o *model.Row) bool { return !o.Overwrites }), []string{"Differs in"}, func(o *model.Row) []string { return []string{listFields(o)} }).folds(),
		objectTable("Objects that are deleted and recreated", 6000, of(takeover.ActionReplace),
			[]string{"What is deleted with it", "Why"}, func(o *model.Row) []string { return []string{describeContents(o), code(o.Why)} }),
		objectTable("Objects that cannot be placed", 5000, of(takeover.ActionReject),
			[]string{"Reason", "Message"}, func(o *model.Row) []string { return []string{code(o.Reason), code(o.Why)} }).
			introduced("They cannot be placed now; " + r.Retries() + ".").folds(),
		arrivalTable(r),
		missingTable(r),
		objectTable("Drifted objects that are not updated", 5000, r.NotUpdated(),
			[]string{"Reason", "Differs in"}, func(o *model.Row) []string { return []string{code(o.Reason), listFields(o)} }).
			introduced("Others have changed these objects of the placement, and `when_to_apply` is " + code(string(r.Strategy.WhenToApply)) + ".").folds(),
		reportTable(r.Rows[takeover.ActionReport]),
		objectTable(titleRemovals(isReplaced), 5000, of(takeover.ActionPrune, takeover.ActionHandOver, takeover.ActionOrphan, takeover.ActionNone, takeover.ActionDefer,
			takeover.ActionUnknown), []string{"What happens"}, func(o *model.Row) []string { return []string{describeRemoval(r, o)} }),
		clusterTable(r),
		recreationTable(r),
		creationTable(r),
		fieldTable("Fields that differ, with both values", 12000, of(takeover.ActionLeaveAlone, takeover.ActionTakeOver, takeover.ActionTakeOverFrom,
			takeover.ActionLeaveDrifted, takeover.ActionReport)),
		fieldTable("Fields that updates write", 3000, of(takeover.ActionUpdate)),
	}
}

// objectTable returns a table with a row for each object. cells returns the cells after the object and its clusters.
func objectTable(title string, reserve int, rows []*model.Row, head []string, cells func(*model.Row) []string) *table {
	out := &table{title: title, head: append([]string{"Object", "On"}, head...), reserve: reserve}
	for _, row := range rows {
		out.about(row.Object, row.Clusters, cells(row)...)
	}
	return out
}

func listFields(o *model.Row) string {
	if o.Equal {
		return "no difference found"
	}
	names := make([]string, len(o.Fields))
	for i, field := range o.Fields {
		names[i] = field.Name
	}
	return codes(names)
}

func describeConflict(o *model.Row) string {
	switch {
	case o.Action == takeover.ActionLeaveAlone:
		return "**not taken over**: " + code(o.Reason) + withMessage(" ", o.Why)
	case len(o.Fields) > 0:
		return "**taken over and overwritten**" + describeDrifts(o)
	default:
		return "taken over" + describeDrifts(o)
	}
}

func describeDrifts(o *model.Row) string {
	if len(o.Drifts) == 0 {
		return ""
	}
	return ", reported as drifted: " + codes(o.Drifts)
}

func withMessage(separator, message string) string {
	if message == "" {
		return ""
	}
	return separator + code(message)
}

func describeGiver(o *model.Row) string {
	if o.Created {
		return code(o.Placement)
	}
	return code(o.Placement) + ", pre-existing"
}

func describeRestart(o *model.Row) []string {
	switch o.Restart.Outcome() {
	case workload.RestartRollout:
		return []string{"**" + model.DescribeRestart(o.Restart) + "**", codes(o.RestartCauses)}
	case workload.RestartLater:
		return []string{model.DescribeRestart(o.Restart), codes(o.RestartCauses)}
	case workload.RestartUnknown, workload.RestartNone, workload.RestartInPart, workload.RestartOnDeletion, workload.RestartOnceResumed,
		workload.RestartBelowPartition:
	}
	return []string{o.Restarts(), ""}
}

func arrivalTable(r *model.Report) *table {
	out := &table{
		title: "Objects that are created once another placement provides their kind", intro: "They were not checked, because the clusters do not serve the kind yet.",
		head: []string{"Object", "On", "Placement"}, reserve: 2000,
	}
	for _, a := range r.Arriving {
		out.about(a.Object, a.Clusters, code(a.By))
	}
	return out.folds()
}

func recreationTable(r *model.Report) *table {
	out := &table{
		title: "Objects that are created again", intro: "The placement had created or taken over these objects. They were deleted on the cluster since.",
		head: []string{"Object", "On"}, reserve: 3000,
	}
	return out.listCreated(r, true).folds()
}

func creationTable(r *model.Report) *table {
	out := &table{title: "Objects that are created", head: []string{"Object", "On"}, folded: true, reserve: 3000}
	return out.listCreated(r, false)
}

// listCreated adds the objects that are created again if again is true, otherwise those that are created for the first time.
func (t *table) listCreated(r *model.Report, again bool) *table {
	for _, c := range r.Created {
		if c.Again == again {
			t.about(c.Object, c.Clusters)
		}
	}
	return t
}

func missingTable(r *model.Report) *table {
	out := &table{title: "Workloads that will not become available", head: []string{"Object", "On", "Missing objects that their Pods need"}, reserve: 4000}
	for _, l := range r.Missing {
		names := slices.Clone(l.Absent)
		for _, name := range l.Deleted {
			names = append(names, name+" (deleted by this plan)")
		}
		out.about(l.Object, l.Clusters, codes(names))
	}
	return out.folds()
}

func reportTable(rows []*model.Row) *table {
	equal := 0
	for _, row := range rows {
		if row.Result == "" {
			equal += len(row.Clusters)
		}
	}
	different := slices.DeleteFunc(slices.Clone(rows), func(o *model.Row) bool { return o.Result == "" })
	out := objectTable("Objects that are reported only", 6000, different, []string{"Owner", "Report", "Differs in"}, func(o *model.Row) []string {
		what, differs := o.Result, ""
		if o.Obstacle != takeover.ObstacleNone {
			what += withMessage(": ", o.Message)
		}
		if o.Exists {
			differs = listFields(o)
		}
		return []string{code(o.Owner), what, differs}
	})
	if equal > 0 {
		out.intro = "Not listed: " + words.Count(equal, "object") + " without a difference."
	}
	return out.folds()
}

func describeContents(o *model.Row) string { return o.Contents + withMessage(": ", o.ContentNames) }

func titleRemovals(isReplaced bool) string {
	if isReplaced {
		return "Objects that are removed first"
	}
	return "Objects that are no longer placed"
}

func describeRemoval(r *model.Report, o *model.Row) string {
	switch o.Action {
	case takeover.ActionPrune:
		text := "**deleted**"
		if o.Contents != "" {
			text += ", " + describeContents(o)
		}
		if r.External {
			text += model.ByRun
		}
		return text
	case takeover.ActionHandOver:
		return "handed over to placement " + code(o.Placement) + ", not deleted" + withMessage(": ", o.Why)
	case takeover.ActionOrphan:
		if r.OnHub && o.Obstacle == takeover.ObstacleContents {
			return "left on the cluster" + withMessage(": ", o.Why)
		}
		return "left on the cluster (orphaned)" + withMessage(": ", o.Why)
	case takeover.ActionNone:
		return "left on the cluster" + withMessage(": ", o.Why)
	case takeover.ActionDefer:
		if o.Obstacle == takeover.ObstacleOccupied {
			return "**deleted** if the run removes another placement as well" + withMessage(": ", o.Why)
		}
		return "deleted by the next apply, because no plan has shown the deletion yet"
	case takeover.ActionUnknown, takeover.ActionCreate, takeover.ActionUpdate, takeover.ActionReplace, takeover.ActionTakeOver, takeover.ActionTakeOverFrom,
		takeover.ActionLeaveAlone, takeover.ActionLeaveDrifted, takeover.ActionReject, takeover.ActionReport:
	}
	return "to be removed, but not checked"
}

func fieldTable(title string, reserve int, rows []*model.Row) *table {
	out := &table{title: title, head: []string{"Object", "On", "Field", "On the cluster", "Written by", "To be placed"}, folded: true, reserve: reserve}
	for _, row := range rows {
		if !row.Exists && row.Action != takeover.ActionUpdate {
			continue
		}
		for _, field := range row.Fields {
			name := code(field.Name)
			if field.Immutable {
				name += " (immutable)"
			}
			out.about(row.Object, row.Clusters, name, formatValue(field.Current), code(field.SetBy), formatValue(field.Desired))
		}
	}
	return out
}

const maxValue = 250

func formatValue(v model.Value) string {
	if v.Absent != "" {
		return v.Absent
	}
	return code(printable.Cut(v.Text, maxValue))
}

func clusterTable(r *model.Report) *table {
	out := &table{title: "Clusters", head: []string{"Cluster", "Picked", "Why", "What happens", "Checked with"}, reserve: 10000}
	type row struct{ picked, why, what, checks string }
	var order []row
	names := map[row][]string{}
	for _, c := range r.Clusters {
		one := row{picked: "no", why: code(c.Cause), what: c.Tally + c.Record, checks: c.Checks}
		if c.RecordLost {
			one.what = strings.TrimPrefix(one.what+"; "+code(c.Lost(model.RecordedAgain)), "; ")
		}
		if c.Picked {
			one.picked = "yes"
		}
		if c.Scores != "" {
			one.picked += ", " + c.Scores
		}
		switch {
		case c.Problem != "":
			one.what, one.checks = "**cannot be placed**: "+code(c.Problem), ""
		case c.Err != "" && c.Remains:
			one.what, one.checks = "**no longer picked**: its objects remain until an apply reaches the cluster", "**not checked**: "+code(c.Err)
		case c.Err != "":
			one.what, one.checks = "not known", "**not checked**: "+code(c.Err)
		}
		if c.Joining {
			one.what += ", after joining the fleet"
		}
		if names[one] == nil {
			order = append(order, one)
		}
		names[one] = append(names[one], c.Name)
	}
	for _, one := range order {
		out.row(len(names[one]), codes(names[one]), one.picked, one.why, one.what, one.checks)
	}
	return out.folds()
}
