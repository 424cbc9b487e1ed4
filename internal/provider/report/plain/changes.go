package plain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

// MaxChanges is the maximum number of lines that [Section.Changes] returns, including the line that counts the others.
const MaxChanges = 20

// maxWeighed is the maximum number of objects that [addWeighed] names for one change.
const maxWeighed = 10

// Changes returns the section as the text of planned_changes.
func (s *Section) Changes() string {
	return strings.Join(s.write(min(s.height(), MaxChanges+1))[1:], "\n")
}

// Changes returns what an apply changes: a line with the counts, and lines about objects. If weighed is set, lines name the objects that a person has to weigh,
// because `terraform show` of a saved plan prints no warnings. Their fields are only in the warning. The text is empty if no object changes and the placement
// is not renamed.
func Changes(r *model.Report, weighed bool) string {
	changed := r.Changed()
	if len(changed) == 0 {
		return r.Renaming
	}
	out := &Section{Unit: "line"}
	if r.Renaming != "" {
		out.Add(r.Renaming)
	}
	out.Add(r.Counts.Changes() + describeScope(r, changed))
	if weighed {
		addWeighed(out, r, clusterNames(changed))
	}
	addObjects(out, r, clusterNames(changed))
	for _, text := range r.Supplies {
		out.Add(text)
	}
	addClusters(out, r, changed)
	addCreated(out, r, clusterNames(changed))
	return out.Changes()
}

// Unchanged returns the text of planned_changes for an apply that writes no object: a line with the numbers of objects that are not taken over, cannot be
// placed, remain drifted or are deleted later, and the names of the objects that a person has to weigh.
func Unchanged(r *model.Report) string {
	stays := model.Numbers(r.Counts.Of, []model.Number{
		{Action: takeover.ActionLeaveAlone, Format: "%d not taken over"}, {Action: takeover.ActionReject, Format: "%d cannot be placed"},
		{Action: takeover.ActionLeaveDrifted, Format: "%d drifted and not updated"}, {Action: takeover.ActionDefer, Format: "%d to delete with the next apply"},
	})
	if stays != "" {
		stays = ": " + stays
	}
	out := &Section{Unit: "line"}
	out.Add("No object changes" + stays + ".")
	addWeighed(out, r, nil)
	return out.Changes()
}

// RemovalChanges returns the changes of the first half of a replacement: a line with the counts, and the names of the deleted objects.
func RemovalChanges(r *model.Report) string {
	out := &Section{Unit: "line"}
	out.Add(fmt.Sprintf("%q is removed first: %s", r.Placement, r.Removal()))
	if deleted := Deleted(r.Rows[takeover.ActionPrune], "DELETED:", 0); len(deleted.Blocks) > 0 {
		out.Add(deleted.Title)
		out.Blocks = append(out.Blocks, deleted.Blocks...)
	}
	return out.Changes()
}

// describeScope names the changed clusters. For new clusters, it also names the value of when_to_take_over, so that users notice a wrong value.
func describeScope(r *model.Report, changed []*model.Cluster) string {
	var how []string
	if !slices.ContainsFunc(changed, func(c *model.Cluster) bool { return !c.Joining }) {
		how = append(how, afterJoining)
	}
	if slices.ContainsFunc(changed, func(c *model.Cluster) bool { return c.AsksForTakeover }) && r.Strategy.Type != placement.ReportDiff {
		how = append(how, "when_to_take_over: "+string(r.Strategy.WhenToTakeOver))
	}
	if r.OnHub && !r.External {
		how = append(how, "predicted")
	}
	text := " on " + words.List(clusterNames(changed), model.MaxClusters)
	if r.External {
		text += model.ByRun
	}
	return text + Bracketed(strings.Join(how, ", "))
}

func clusterNames(clusters []*model.Cluster) []string {
	out := make([]string, len(clusters))
	for i, c := range clusters {
		out[i] = c.Name
	}
	return out
}

// addWeighed adds the names of the objects that a person has to weigh. Objects that change are first, and among these the most severe changes. everywhere are
// the clusters on which anything changes.
func addWeighed(out *Section, r *model.Report, everywhere []string) {
	var alike Groups
	add := func(rows []*model.Row, head func(*model.Row) string) {
		for _, o := range rows {
			name := o.Object
			if o.Action == takeover.ActionPrune || o.Action == takeover.ActionReplace {
				name += Bracketed(o.DescribeContents())
			}
			alike.Add(head(o)+":", name)
		}
	}
	is := func(text string) func(*model.Row) string {
		return func(o *model.Row) string { return text + where(o, everywhere) + Bracketed(o.Owner) }
	}
	weighed := func(action takeover.Action) []*model.Row { return model.Weighed(r.Rows[action]) }
	add(weighed(takeover.ActionPrune), is("DELETE"))
	add(weighed(takeover.ActionReplace), is("DELETE and recreate"))
	add(weighed(takeover.ActionTakeOver), func(o *model.Row) string { return is("take over")(o) + differing(o, ", overwritten") })
	add(weighed(takeover.ActionUpdate), func(o *model.Row) string {
		text := is("update")(o)
		if o.Overwrites {
			text += ", overwriting values of others"
		}
		return text + drifting(o) + restarting(o)
	})
	add(weighed(takeover.ActionTakeOverFrom), func(o *model.Row) string { return takenFrom(o, everywhere) + differing(o, ", updated") })
	add(weighed(takeover.ActionHandOver), func(o *model.Row) string { return handedOver(o, everywhere) + ", but not in this apply" })
	for _, action := range []takeover.Action{takeover.ActionOrphan, takeover.ActionNone} {
		add(weighed(action), is("leave orphaned"))
	}
	add(weighed(takeover.ActionUnknown), is("remove (not checked)"))
	add(weighed(takeover.ActionDefer), is("delete with the next apply"))
	add(weighed(takeover.ActionLeaveAlone), is("not taken over"))
	add(weighed(takeover.ActionReject), is("cannot be placed"))
	add(r.Rows[takeover.ActionLeaveDrifted], func(o *model.Row) string {
		if o.Obstacle == takeover.ObstacleNotAgreed {
			return is("changed since the reviewed preview, not updated")(o)
		}
		return is("drifted, not updated")(o)
	})
	for _, head := range alike.Texts {
		names := abridge(alike.Names[head])
		if more := len(names) - maxWeighed; more > 0 {
			names = names[:maxWeighed]
			names[maxWeighed-1] += fmt.Sprintf(" and %d more", more)
		}
		out.Add(Flow(head, "  ", names)...)
	}
}

// differing returns a clause about the fields of an object that changes its owner, and about its Pods. clause is the text for fields that differ.
func differing(o *model.Row, clause string) string {
	switch {
	case o.RemainsDrifted:
		return ", not updated"
	case len(o.Fields) == 0:
		clause = noDifference
	}
	return clause + drifting(o) + restarting(o)
}

func drifting(o *model.Row) string {
	if len(o.Drifts) == 0 {
		return ""
	}
	return ", reported as drifted"
}

// restarting returns a clause about the Pods of an object, without the fields that are the cause.
func restarting(o *model.Row) string {
	switch {
	case o.Restarts() == "":
		return ""
	case o.Restart == workload.RestartUnknown:
		return "; " + o.Restarts()
	default:
		return "; " + model.DescribeRestart(o.Restart)
	}
}

// where returns the clusters of an object, or "" if they are equal to everywhere, the clusters on which anything changes.
func where(o *model.Row, everywhere []string) string {
	if slices.Equal(o.Clusters, everywhere) {
		return ""
	}
	return " on " + words.List(o.Clusters, model.MaxClusters)
}

func takenFrom(o *model.Row, everywhere []string) string {
	return fmt.Sprintf("take over from placement %q%s%s", o.Placement, where(o, everywhere), markPreExisting(o))
}

func handedOver(o *model.Row, everywhere []string) string {
	return fmt.Sprintf("hand over to placement %q%s", o.Placement, where(o, everywhere))
}

// addGroups adds lines for each head, with the names of its objects.
func addGroups(out *Section, alike Groups) {
	for _, head := range alike.Texts {
		for _, line := range Flow(head, "  ", abridge(alike.Names[head])) {
			out.Add(line)
		}
	}
}

// addObjects adds the objects that are updated, taken over, handed over or orphaned without a warning, and the objects whose kind another placement defines.
func addObjects(out *Section, r *model.Report, everywhere []string) {
	on := func(o *model.Row) string { return where(o, everywhere) }
	var alike Groups
	add := func(action takeover.Action, head func(*model.Row) string) {
		for _, o := range r.Rows[action] {
			if !o.Weighs {
				alike.Add(head(o), o.Object)
			}
		}
	}
	for _, o := range r.Rows[takeover.ActionUpdate] {
		switch fields := Fields(o.Fields); {
		case o.Weighs:
		case len(fields) == 0:
			alike.Add("update"+on(o)+noDifference+":", o.Object)
		case len(fields) == 1:
			out.Add("update " + o.Object + on(o) + ": " + fields[0])
		default:
			out.Add(append([]string{"update " + o.Object + on(o) + ":"}, Indented("  ", fields)...)...)
		}
	}
	add(takeover.ActionTakeOver, func(o *model.Row) string { return "take over" + on(o) + Bracketed(o.Owner) + noDifference + ":" })
	add(takeover.ActionTakeOverFrom, func(o *model.Row) string { return takenFrom(o, everywhere) + ":" })
	add(takeover.ActionHandOver, func(o *model.Row) string { return handedOver(o, everywhere) + ":" })
	add(takeover.ActionOrphan, func(o *model.Row) string { return "no longer place, and keep" + on(o) + Bracketed(o.Owner) + ":" })
	for _, a := range r.Arriving {
		alike.Add(fmt.Sprintf("create on %s once the placement %s provides the kind, not checked:", words.List(a.Clusters, model.MaxClusters), a.By), a.Object)
	}
	addGroups(out, alike)
}

func addCreated(out *Section, r *model.Report, everywhere []string) {
	var alike Groups
	for _, c := range r.Created {
		head, tail := "create", ""
		if c.Again {
			head, tail = "create again", " (deleted since)"
		}
		if !slices.Equal(c.Clusters, everywhere) {
			head += " on " + words.List(c.Clusters, model.MaxClusters)
		}
		alike.Add(head+tail+":", c.Object)
	}
	addGroups(out, alike)
}

// addClusters adds the changed clusters if their lines differ, or if one of them has scores or is no longer picked. It also adds the clusters on which not
// every write was tried, and the order of a rollout that is not blocked. If the placement is new on a cluster and the policy does not name the clusters, it
// also adds the clusters that were not picked.
func addClusters(out *Section, r *model.Report, changed []*model.Cluster) {
	var counted, unpicked, limited Groups
	differ := false
	for _, c := range changed {
		if !c.Picked && !c.Weighs { // if a person has to weigh a change, the warning says why the cluster is no longer picked
			differ = true
			counted.Add(describeChecked(c), c.Name)
		} else {
			counted.Add(withScores(c, c.Tally), c.Name)
		}
		if c.Limits != "" {
			limited.Add(c.Limits, c.Name)
		}
		differ = differ || c.Scores != ""
	}
	if len(counted.Texts) > 1 || differ {
		counted.Lines(out, "", model.MaxClusters)
	}
	if slices.ContainsFunc(changed, func(c *model.Cluster) bool { return c.IsNew }) && !r.NamesClusters {
		for _, c := range r.Clusters {
			if !c.Picked && c.Err == "" && c.Tally == "" {
				unpicked.Add(describeChecked(c), c.Name)
			}
		}
	}
	unpicked.Lines(out, "", model.MaxClusters)
	limited.Lines(out, "", model.MaxClusters)
	if r.Rollout != "" && !r.Blocked {
		out.Add(r.Rollout)
	}
}
