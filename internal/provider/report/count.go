package report

import (
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// counts are how many objects there are of every action, over all clusters.
type counts struct {
	of map[takeover.Action]int
	// on are the clusters with objects of an action.
	on map[takeover.Action][]string
	// restarts are how many workloads restart their Pods, restartsOn the clusters on which they do.
	restarts   int
	restartsOn []string
	// missing are how many workloads need an object that is missing, missingOn the clusters on which they do.
	missing   int
	missingOn []string
	// clusters are picked ones, offline those that could not be checked, unplaceable those on which nothing can be placed.
	clusters, offline, unplaceable int
	// retried are the unchecked clusters that the apply tries again, recorded the checked ones on which it writes the placement's record.
	retried, recorded int
	// unproven are the clusters on which the placement's record does not verify.
	unproven []string
	// drifts are how many objects will be reported as drifted, driftsOn the clusters on which they are.
	drifts   int
	driftsOn []string
	// external says that a staged update run makes the changes.
	external bool
}

// writes reports whether an object changes.
func (c counts) writes() bool {
	for action, n := range c.of {
		if action.Writes() && n > 0 {
			return true
		}
	}
	return false
}

func count(preview *engine.Preview) counts {
	out := counts{of: map[takeover.Action]int{}, on: map[takeover.Action][]string{}, external: preview.External}
	for _, cluster := range preview.Clusters {
		if cluster.Picked {
			out.clusters++
		}
		if cluster.Err != nil {
			out.offline++
		}
		if cluster.Problem != "" {
			out.unplaceable++
		}
		if isRetried(preview, cluster) {
			out.retried++
		}
		if cluster.Err == nil && cluster.Picked && cluster.Resume && !preview.Predicted {
			out.recorded++
		}
		if cluster.RecordProblem != "" {
			out.unproven = append(out.unproven, plain(cluster.Name, maxName))
		}
		here, restarted := map[takeover.Action]int{}, 0
		for _, object := range cluster.Objects {
			here[object.Action]++
			if object.RemainsDrifted() {
				here[takeover.ActionLeaveDrifted]++
			}
			if restarts(object) {
				restarted++
			}
		}
		out.countMissing(cluster)
		if restarted > 0 {
			out.restarts += restarted
			out.restartsOn = append(out.restartsOn, plain(cluster.Name, maxName))
		}
		for action, n := range here {
			out.of[action] += n
			out.on[action] = append(out.on[action], plain(cluster.Name, maxName))
		}
	}
	return out
}

// summary is the one line that a reviewer reads first: what needs a look, then what is written. It has the numbers, so that the warnings of
// two placements are never merged. name writes the name of a cluster.
func (c counts) summary(name func(string) string) string {
	var parts []string
	at := func(n int, what string, on []string, then string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s on %s %s", words.Count(n, what), few(on, name), then))
		}
	}
	where := func(action takeover.Action, what, then string) { at(c.of[action], what, c.on[action], then) }
	add := func(action takeover.Action, format string) {
		if n := c.of[action]; n > 0 {
			parts = append(parts, fmt.Sprintf(format, n))
		}
	}
	where(takeover.ActionLeaveAlone, "conflict", "not taken over")
	where(takeover.ActionTakeOver, "existing object", "to take over")
	where(takeover.ActionTakeOverFrom, "object", "to take over from other placements")
	at(c.restarts, "workload", c.restartsOn, "with Pods to restart")
	at(c.drifts, "object", c.driftsOn, "to be reported as drifted")
	where(takeover.ActionReplace, "object", "to delete and recreate")
	where(takeover.ActionReject, "object", "that cannot be placed")
	at(c.missing, "workload", c.missingOn, "that will not become available")
	where(takeover.ActionLeaveDrifted, "drifted object", "not updated")
	add(takeover.ActionReport, "%d reported and not written")
	add(takeover.ActionCreate, "%d to create")
	add(takeover.ActionUpdate, "%d to update")
	add(takeover.ActionPrune, "%d to delete")
	add(takeover.ActionHandOver, "%d to hand over")
	add(takeover.ActionOrphan, "%d to orphan")
	add(takeover.ActionDefer, "%d to delete with the next apply")
	add(takeover.ActionUnknown, "%d to remove that could not be checked")
	if len(parts) == 0 {
		parts = append(parts, "no object to write")
		if c.offline > 0 && c.recorded > 0 {
			parts = append(parts, "only the placement's record")
		}
	}
	text := strings.Join(parts, ", ")
	if c.external && c.writes() {
		text += byRun
	}
	if c.unplaceable > 0 {
		text += fmt.Sprintf("; NOTHING CAN BE PLACED on %s", words.Count(c.unplaceable, "cluster"))
	}
	if len(c.unproven) > 0 {
		text += "; RECORD DOES NOT VERIFY on " + few(c.unproven, name)
	}
	if c.offline > 0 {
		text += fmt.Sprintf("; %s NOT CHECKED", words.Count(c.offline, "cluster"))
		if c.retried > 0 && !c.writes() {
			text += ", which the apply tries again"
		}
	}
	return text
}

// few names one or two clusters and counts more.
func few(clusters []string, name func(string) string) string {
	if len(clusters) > 2 {
		return words.Count(len(clusters), "cluster")
	}
	written := make([]string, len(clusters))
	for i, cluster := range clusters {
		written[i] = name(cluster)
	}
	return strings.Join(written, " and ")
}
