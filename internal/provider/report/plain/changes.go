package plain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

// MaxChanges is the maximum number of lines of planned_changes, besides the line that counts the others.
const MaxChanges = 20

// Changes returns the section as the text of planned_changes.
func (s *Section) Changes() string {
	return strings.Join(s.write(min(s.height(), MaxChanges+1))[1:], "\n")
}

// Changes returns what an apply changes: a line with the counts, and lines about objects. The lines omit the objects that a person has to weigh, because the
// warning has them. The text is empty if no object changes and the placement is not renamed.
func Changes(r *model.Report) string {
	changed := r.Changed()
	if len(changed) == 0 {
		return r.Renaming
	}
	out := &Section{Unit: "line"}
	if r.Renaming != "" {
		out.Add(r.Renaming)
	}
	out.Add(r.Counts.Changes() + describeScope(r, changed))
	addObjects(out, r, clusterNames(changed))
	for _, text := range r.Supplies {
		out.Add(text)
	}
	addClusters(out, r, changed)
	addCreated(out, r, clusterNames(changed))
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

// For new clusters, describeScope also names when_to_take_over, so that users notice a wrong one.
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

// addObjects adds the objects that are updated, taken over, handed over or orphaned without a warning, and the objects whose kind another placement defines.
func addObjects(out *Section, r *model.Report, everywhere []string) {
	on := func(o *model.Row) string {
		if slices.Equal(o.Clusters, everywhere) {
			return ""
		}
		return " on " + words.List(o.Clusters, model.MaxClusters)
	}
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
	add(takeover.ActionTakeOverFrom, func(o *model.Row) string {
		return fmt.Sprintf("take over from placement %q%s%s:", o.Placement, on(o), markPreExisting(o))
	})
	add(takeover.ActionHandOver, func(o *model.Row) string { return fmt.Sprintf("hand over to placement %q%s:", o.Placement, on(o)) })
	add(takeover.ActionOrphan, func(o *model.Row) string { return "no longer place, and keep" + on(o) + Bracketed(o.Owner) + ":" })
	for _, a := range r.Arriving {
		alike.Add(fmt.Sprintf("create on %s once the placement %s provides the kind, not checked:", words.List(a.Clusters, model.MaxClusters), a.By), a.Object)
	}
	for _, head := range alike.Texts {
		out.Add(Flow(head, "  ", abridge(alike.Names[head]))...)
	}
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
	for _, head := range alike.Texts {
		for _, line := range Flow(head, "  ", abridge(alike.Names[head])) {
			out.Add(line)
		}
	}
}

// addClusters adds the changed clusters if they differ, the clusters on which not every write was tried, and the order of a rollout that is not blocked. If the
// placement is new on a cluster and the policy does not name the clusters, it also adds the clusters that were not picked.
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
