package model

import (
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
)

// Counts are numbers over all clusters.
type Counts struct {
	// Of has the number of objects by action; ActionLeaveDrifted also counts objects that other placements hand over and that remain drifted. Restarts are
	// workloads whose Pods restart, Missing workloads that need a missing object, Drifts objects that will be reported as drifted, and Overwrites updated objects
	// with values that others have set.
	Of                                    map[takeover.Action]int
	Restarts, Missing, Drifts, Overwrites Tally
	// Clusters is the number of picked clusters. Offline is the number of clusters that could not be checked and may have objects of the placement. Unplaceable is
	// the number of clusters on which nothing can be placed.
	Clusters, Offline, Unplaceable int
	// retried is the number of unchecked clusters that the apply tries again. recorded is the number of checked clusters on which the apply writes the
	// placement's record. unproven are the clusters on which the record does not verify. on has the clusters of the objects in Of, by action.
	retried, recorded int
	unproven          []string
	on                map[takeover.Action][]string
	external          bool
}

// Tally is a number of objects, with their clusters.
type Tally struct {
	N  int
	on []string
}

func (t *Tally) add(n int, cluster string) {
	if n > 0 {
		t.N += n
		t.on = append(t.on, Name(cluster))
	}
}

func newCounts(preview *engine.Preview, options Options) Counts {
	out := Counts{Of: map[takeover.Action]int{}, on: map[takeover.Action][]string{}, external: preview.OnHub().External}
	add := func(n *int, is bool) {
		if is {
			*n++
		}
	}
	for _, cluster := range preview.Clusters {
		writesRecord := cluster.Picked && cluster.Resume && preview.Hub == nil // on a hub, the agents retry on their own
		add(&out.Clusters, cluster.Picked)
		add(&out.Offline, options.isUnchecked(cluster))
		add(&out.Unplaceable, cluster.Problem != "")
		add(&out.retried, cluster.Err != nil && writesRecord)
		add(&out.recorded, cluster.Err == nil && writesRecord)
		if cluster.RecordProblem != "" {
			out.unproven = append(out.unproven, Name(cluster.Name))
		}
		here, restarts, missing, drifts, overwritten := map[takeover.Action]int{}, 0, 0, 0, 0
		for _, object := range cluster.Objects {
			here[object.Action]++
			if object.RemainsDrifted() {
				here[takeover.ActionLeaveDrifted]++
			}
			if object.Restart.Outcome() == workload.RestartRollout {
				restarts++
			}
			if len(object.Missing) > 0 {
				missing++
			}
			if willDrift(object, options.Strategy) {
				drifts++
			}
			if overwrites(object, preview.Manager) {
				overwritten++
			}
		}
		out.Restarts.add(restarts, cluster.Name)
		out.Missing.add(missing, cluster.Name)
		out.Drifts.add(drifts, cluster.Name)
		out.Overwrites.add(overwritten, cluster.Name)
		for action, n := range here {
			out.Of[action] += n
			out.on[action] = append(out.on[action], Name(cluster.Name))
		}
	}
	return out
}

func (c Counts) writes() bool {
	for action, n := range c.Of {
		if action.Writes() && n > 0 {
			return true
		}
	}
	return false
}

// Changes returns the numbers of changes.
func (c Counts) Changes() string {
	return Numbers(c.Of, []Number{
		{takeover.ActionCreate, "%d to create"}, {takeover.ActionUpdate, "%d to update"}, {takeover.ActionTakeOver, "%d to take over"},
		{takeover.ActionTakeOverFrom, "%d to take over from other placements"}, {takeover.ActionHandOver, "%d to hand over"},
		{takeover.ActionReplace, "%d to DELETE and recreate"}, {takeover.ActionPrune, "%d to DELETE"}, {takeover.ActionOrphan, "%d to leave on the cluster"},
		{takeover.ActionReport, "%d to report only"}, {takeover.ActionUnknown, "%d to remove (not checked)"},
	})
}

// Summary returns the line that a person reads first: what needs attention, and then what is written. name formats the name of a cluster.
func (c Counts) Summary(name func(string) string) string {
	var parts []string
	at := func(t Tally, noun, then string) {
		if t.N > 0 {
			parts = append(parts, fmt.Sprintf("%s on %s %s", words.Count(t.N, noun), Few(t.on, name), then))
		}
	}
	of := func(action takeover.Action) Tally { return Tally{c.Of[action], c.on[action]} }
	at(of(takeover.ActionLeaveAlone), "conflict", "not taken over")
	at(of(takeover.ActionTakeOver), "existing object", "to take over")
	at(of(takeover.ActionTakeOverFrom), "object", "to take over from other placements")
	at(c.Restarts, "workload", "with Pods to restart")
	at(c.Overwrites, "object", "with values of others to overwrite")
	at(c.Drifts, "object", "to be reported as drifted")
	at(of(takeover.ActionReplace), "object", "to delete and recreate")
	at(of(takeover.ActionReject), "object", "that cannot be placed")
	at(c.Missing, "workload", "that will not become available")
	at(of(takeover.ActionLeaveDrifted), "drifted object", "not updated")
	if numbers := Numbers(c.Of, []Number{
		{takeover.ActionReport, "%d to report only"}, {takeover.ActionCreate, "%d to create"}, {takeover.ActionUpdate, "%d to update"},
		{takeover.ActionPrune, "%d to delete"}, {takeover.ActionHandOver, "%d to hand over"}, {takeover.ActionOrphan, "%d to leave on the cluster"},
		{takeover.ActionDefer, "%d to delete with the next apply"}, {takeover.ActionUnknown, "%d to remove (not checked)"},
	}); numbers != "" {
		parts = append(parts, numbers)
	}
	if len(parts) == 0 {
		parts = append(parts, "no object to write")
		if c.Offline > 0 && c.recorded > 0 {
			parts = append(parts, "only the placement's record")
		}
	}
	text := strings.Join(parts, ", ")
	if c.external && c.writes() {
		text += ByRun
	}
	if c.Unplaceable > 0 {
		text += "; NOTHING CAN BE PLACED on " + words.Count(c.Unplaceable, "cluster")
	}
	if len(c.unproven) > 0 {
		text += "; RECORD DOES NOT VERIFY on " + Few(c.unproven, name)
	}
	if c.Offline > 0 {
		text += fmt.Sprintf("; %s NOT CHECKED", words.Count(c.Offline, "cluster"))
		if c.retried > 0 && !c.writes() {
			text += ", which the apply retries"
		}
	}
	return text
}

// ByRun is added to changes that a staged update run makes.
const ByRun = " by the next staged update run"

// Few names up to two clusters, and counts them if there are more.
func Few(clusters []string, name func(string) string) string {
	if len(clusters) > 2 {
		return words.Count(len(clusters), "cluster")
	}
	written := make([]string, len(clusters))
	for i, cluster := range clusters {
		written[i] = name(cluster)
	}
	return strings.Join(written, " and ")
}

// Number is a format for the number of objects of an action.
type Number struct {
	Action takeover.Action
	Format string
}

// Numbers writes the numbers of some actions, and omits zeros.
func Numbers(of map[takeover.Action]int, parts []Number) string {
	var out []string
	for _, part := range parts {
		if n := of[part.Action]; n > 0 {
			out = append(out, fmt.Sprintf(part.Format, n))
		}
	}
	return strings.Join(out, ", ")
}

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
	return strings.Join(r.format([5]string{"%d to DELETE", "%d to DELETE if another placement is removed", "%d to hand over", "%d to keep", "%d not checked"}), ", ")
}
