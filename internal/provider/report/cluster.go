package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// clusterLine is what is told of clusters that are alike.
type clusterLine struct {
	names []string
	clusterText
	// checks is how they were checked, empty where every write was tried.
	checks string
}

// key is equal for two lines that are written alike.
func (l *clusterLine) key() string {
	return strings.Join(append(slices.Clone(l.names), l.text, l.message), "\n")
}

// clusterSection has a line for each text that describe returns, which is empty for a cluster without a line. A run shows the error of a cluster once.
func clusterSection(preview *engine.Preview, first func(text string) bool, describe func(engine.ClusterPreview) clusterText) *section {
	out := &section{title: "Clusters:", what: "line", reserve: 12}
	for _, line := range clusterLines(preview, describe) {
		out.add("  " + words.List(line.names, maxClusters) + ": " + clauses(line.withMessage(line.names, first), line.checks))
	}
	return out
}

// clusterLines puts the clusters together of which the same is to be told.
func clusterLines(preview *engine.Preview, describe func(engine.ClusterPreview) clusterText) []*clusterLine {
	var out []*clusterLine
	known := map[alike]*clusterLine{}
	for _, cluster := range preview.Clusters {
		key := alike{clusterText: describe(cluster)}
		if key.text == "" {
			continue
		}
		if cluster.Err == nil && cluster.Problem == "" {
			key.checks = limitedChecks(cluster)
		}
		if known[key] == nil {
			known[key] = &clusterLine{clusterText: key.clusterText, checks: key.checks}
			out = append(out, known[key])
		}
		known[key].names = append(known[key].names, plain(cluster.Name, maxName))
	}
	return out
}

type alike struct {
	clusterText
	checks string
}

// scores tells whether scores made a difference.
func scores(preview *engine.Preview) bool {
	for _, cluster := range preview.Clusters {
		if s := cluster.Score; s != nil && (s.Affinity != 0 || s.TopologySpread != 0) {
			return true
		}
	}
	return false
}

// busy tells whether there is anything on the cluster that had to be found out.
func busy(cluster engine.ClusterPreview) bool {
	return slices.ContainsFunc(cluster.Objects, func(object engine.ObjectPreview) bool {
		switch object.Action {
		case takeover.ActionNone, takeover.ActionPrune, takeover.ActionOrphan, takeover.ActionHandOver: // the placement's own records tell all of it
			return false
		case takeover.ActionCreate, takeover.ActionUpdate, takeover.ActionTakeOver, takeover.ActionTakeOverFrom, takeover.ActionLeaveAlone,
			takeover.ActionLeaveDrifted, takeover.ActionReplace, takeover.ActionReject, takeover.ActionReport, takeover.ActionUnknown, takeover.ActionDefer:
		}
		return true
	})
}

// settled tells whether every object on the cluster is as it should be.
func settled(cluster engine.ClusterPreview) bool {
	return !slices.ContainsFunc(cluster.Objects, func(object engine.ObjectPreview) bool { return object.Action != takeover.ActionNone })
}

// applyText says what an apply does on a cluster.
func applyText(cluster engine.ClusterPreview, scored bool) clusterText {
	switch {
	case cluster.Problem != "" || cluster.Err == nil:
		return clusterText{text: checkedText(cluster, scored)}
	case cluster.Picked:
		return unreachedText("NOT CHECKED, the placement stays there.", cluster)
	case cluster.Remains:
		return unreachedText("NOT CHECKED, NO LONGER PICKED: its objects remain until an apply reaches the cluster.", cluster)
	default:
		return unreachedText("NOT CHECKED.", cluster)
	}
}

// checkedText says what an apply does on a cluster that could be checked, or on which nothing can be placed.
func checkedText(cluster engine.ClusterPreview, scored bool) string {
	tally := clauses(withRecord(cluster, tally(cluster)), lost(cluster, recordedAnew))
	say := func(text string) string { return plain(impersonal(text, cluster.Name), maxMessage) }
	switch {
	case cluster.Problem != "":
		return "CANNOT BE PLACED. " + say(cluster.Problem)
	case !cluster.Picked && tally != "":
		return "NO LONGER PICKED (" + say(cluster.Cause) + "): " + tally
	case !cluster.Picked:
		return "not picked: " + say(cluster.Cause)
	}
	if tally == "" {
		return withScore(cluster, "nothing to place", scored)
	}
	return withScore(cluster, tally, scored)
}

// tallied counts what happens on a cluster, and says how the cluster was picked.
func tallied(cluster engine.ClusterPreview, scored bool) string {
	return withScore(cluster, tally(cluster), scored)
}

// withScore adds to a tally the scores of a cluster, if they make a difference, and that the cluster joins the fleet.
func withScore(cluster engine.ClusterPreview, tally string, scored bool) string {
	if s := cluster.Score; scored && s != nil && cluster.Picked {
		tally += fmt.Sprintf(" (affinity score %d, topology spread score %d)", s.Affinity, s.TopologySpread)
	}
	if cluster.Joining {
		tally += bracketed(afterJoining)
	}
	return tally
}

// withRecord adds to a tally that nothing but the placement's record is to be written.
func withRecord(cluster engine.ClusterPreview, tally string) string {
	if tally != "" && cluster.Picked && cluster.Resume && settled(cluster) {
		if len(cluster.FormerNames) > 0 {
			return tally + ", only the placement's record and labels to write"
		}
		return tally + ", only the placement's record to write"
	}
	return tally
}

// tally counts what happens on a cluster.
func tally(cluster engine.ClusterPreview) string {
	of := map[takeover.Action]int{}
	left := 0
	for _, object := range cluster.Objects {
		if object.Action == takeover.ActionNone && object.Obstacle != takeover.ObstacleNone {
			left++
		} else {
			of[object.Action]++
		}
	}
	var parts []string
	for _, part := range []struct {
		action takeover.Action
		word   string
	}{
		{takeover.ActionLeaveAlone, "skip"}, {takeover.ActionTakeOver, "take over"},
		{takeover.ActionTakeOverFrom, "take over from other placements"}, {takeover.ActionReject, "cannot place"},
		{takeover.ActionLeaveDrifted, "skip drifted"}, {takeover.ActionReport, "report"}, {takeover.ActionCreate, "create"},
		{takeover.ActionUpdate, "update"}, {takeover.ActionReplace, "DELETE and recreate"}, {takeover.ActionPrune, "DELETE"}, {takeover.ActionOrphan, "orphan"},
		{takeover.ActionHandOver, "hand over"},
		{takeover.ActionDefer, "DELETE with the next apply:"}, {takeover.ActionUnknown, "not checked:"}, {takeover.ActionNone, "unchanged"},
	} {
		if n := of[part.action]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", part.word, n))
		}
	}
	if left > 0 {
		parts = append(parts, fmt.Sprintf("keep %d", left))
	}
	return strings.Join(parts, ", ")
}

// clauses puts together what there is of texts.
func clauses(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "; ")
}

// recordedAnew is what an apply makes of what it finds where a record is lost.
const recordedAnew = "count as pre-existing, and nothing deletes them"

// lost says what a missing record means on a cluster, then being what follows for the objects that it should list; "" for a record that is well.
func lost(cluster engine.ClusterPreview, then string) string {
	if !cluster.RecordLost {
		return ""
	}
	text := "THE PLACEMENT'S RECORD IS MISSING OR OUTDATED: other objects there with the placement's label " + then
	if cluster.RecordProblem != "" {
		text = "THE PLACEMENT'S RECORD DOES NOT VERIFY and is not used: " + plain(cluster.RecordProblem, maxMessage) +
			". Objects there with the placement's label count as pre-existing, and nothing deletes them"
	}
	if len(cluster.Unlooked) > 0 {
		text += "; " + plain(words.List(cluster.Unlooked, maxClusters), maxMessage) + " could not be checked"
	}
	return text
}

// limitedChecks returns how a cluster was checked if not every write was tried there; empty for others.
func limitedChecks(cluster engine.ClusterPreview) string {
	untried := untried(cluster)
	switch {
	case !busy(cluster):
		return ""
	case cluster.Look == engine.LookReadOnly:
		return "checked with live reads only; not every write was tried with a dry run" + untried
	case cluster.Look == engine.LookDryRun && untried != "":
		return "checked with live reads and server-side dry runs" + untried
	default:
		return ""
	}
}

// checkedWith says how a cluster was checked, and what could not be checked.
func checkedWith(cluster engine.ClusterPreview) string {
	switch cluster.Look {
	case engine.LookDryRun:
		return "live reads and server-side dry runs" + untried(cluster)
	case engine.LookReadOnly:
		return "live reads only, not every write was tried with a dry run" + untried(cluster)
	case engine.LookOffline:
	}
	return ""
}

// untried counts the objects about which the API server was not asked though only it knows. What the credentials may not do is told for
// the cluster as a whole.
func untried(cluster engine.ClusterPreview) string {
	of := map[engine.Untried]int{}
	updates := 0
	for _, object := range cluster.Objects {
		if object.BroughtBy == "" { // others have a line of their own
			of[object.Untried]++
		}
		if object.Untried == engine.UntriedPermission && object.Action == takeover.ActionUpdate {
			updates++
		}
	}
	text := ""
	if updates > 0 {
		text = fmt.Sprintf("; %s may remove fields that are not shown", words.Count(updates, "update"))
	}
	for _, reason := range []struct {
		untried engine.Untried
		words   string
	}{
		{engine.UntriedNamespace, "not tried, because the Namespace does not exist yet"},
		{engine.UntriedKind, "not tried, because the kind is not served yet"},
		{engine.UntriedRace, "not tried, because others changed them repeatedly during the check"},
	} {
		if n := of[reason.untried]; n > 0 {
			text += fmt.Sprintf("; %s %s", words.Count(n, "object"), reason.words)
		}
	}
	return text
}
