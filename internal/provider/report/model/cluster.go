package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// Cluster is what happens on one cluster.
type Cluster struct {
	Name string
	// Picked, Joining and Remains are those of [engine.ClusterPreview]. Cause is why the cluster is picked or not, Problem why nothing can be placed on it.
	Picked, Joining, Remains bool
	Cause, Problem           string
	// Scores are the scores of the cluster if scores make a difference, or "".
	Scores string
	// Err is why the cluster could not be checked, or ""; RootCause is the result of [RootCause]. Unchecked reports that the cluster could not be checked and may
	// have objects of the placement. Unconnected reports that the provider has no connection to the cluster.
	Err, RootCause         string
	Unchecked, Unconnected bool
	// Tally counts what happens to objects. Record is a clause about an apply that writes only the placement's record.
	Tally, Record string
	// Removed counts what a removal does to objects.
	Removed Removed
	// RecordLost reports that the placement's record is missing, outdated or not verified.
	RecordLost    bool
	recordProblem string
	unlisted      []string
	// Checks says how the cluster was checked. Limits says the same if not every write was tried there, and is "" otherwise. Both are "" if nothing had to be
	// checked.
	Checks, Limits string
	// IsNew reports that the cluster gets the placement for the first time. AsksForTakeover reports that the cluster is new, and that something other than a
	// hand-over happens to an object there.
	IsNew, AsksForTakeover bool
	// Changes reports that an object changes. Weighs reports that a person has to weigh what happens to an object.
	Changes, Weighs bool
}

func newClusters(preview *engine.Preview, options Options) []*Cluster {
	isScored := slices.ContainsFunc(preview.Clusters, func(c engine.ClusterPreview) bool {
		return c.Score != nil && (c.Score.Affinity != 0 || c.Score.TopologySpread != 0)
	})
	out := make([]*Cluster, len(preview.Clusters))
	for i, c := range preview.Clusters {
		out[i] = newCluster(preview, c, options)
		if isScored && c.Score != nil {
			out[i].Scores = fmt.Sprintf("affinity score %d, topology spread score %d", c.Score.Affinity, c.Score.TopologySpread)
		}
	}
	return out
}

func newCluster(preview *engine.Preview, c engine.ClusterPreview, options Options) *Cluster {
	contains := func(is func(engine.ObjectPreview) bool) bool { return slices.ContainsFunc(c.Objects, is) }
	out := &Cluster{
		Name: Name(c.Name), Picked: c.Picked, Joining: c.Joining, Remains: c.Remains, Cause: About(c.Name, c.Cause), Problem: About(c.Name, c.Problem),
		Unchecked: options.isUnchecked(c), Tally: countActions(c), Removed: countRemoved(c), RecordLost: c.RecordLost, recordProblem: c.RecordProblem, unlisted: c.UnsearchedKinds,
		Changes: contains(func(o engine.ObjectPreview) bool {
			return o.Action.Writes() || o.Action == takeover.ActionReport || o.Action == takeover.ActionHandOver
		}),
		Weighs: contains(func(o engine.ObjectPreview) bool { return weighs(preview, o, options.Strategy) }),
		IsNew:  isNew(c),
	}
	out.AsksForTakeover = out.IsNew && contains(func(o engine.ObjectPreview) bool {
		return o.Action != takeover.ActionTakeOverFrom && o.Action != takeover.ActionHandOver && o.Action != takeover.ActionNone
	})
	if c.Err != nil {
		_, out.Unconnected = errors.AsType[*engine.NotConfiguredError](c.Err)
		out.Err, out.RootCause = About(c.Name, c.Err.Error()), RootCause(c.Err)
	}
	if out.Tally != "" && c.Picked && c.Resume && !contains(func(o engine.ObjectPreview) bool { return o.Action != takeover.ActionNone }) {
		out.Record = " (record update only)"
		if len(c.FormerNames) > 0 {
			out.Record = " (record and label update only)"
		}
	}
	if contains(needsCheck) {
		out.Checks, out.Limits = describeChecks(c)
	}
	return out
}

func isNew(c engine.ClusterPreview) bool {
	return c.Picked && !slices.ContainsFunc(c.Objects, func(o engine.ObjectPreview) bool { return o.Owned || o.Again })
}

// RootCause returns the cause of an error without the failed operation. It is equal for all operations that fail for the same reason. If
// the cause is unknown, RootCause returns the whole error.
func RootCause(err error) string {
	if failed, is := errors.AsType[interface {
		error
		Cause() string
	}](err); is {
		return "because of " + failed.Cause()
	}
	return err.Error()
}

// Lost says what a lost record means on a cluster. effect is what happens to the objects that the record should list. If the record does not verify,
// the effect is always [RecordedAgain]. Lost returns "" if the record is not lost.
func (c *Cluster) Lost(effect string) string {
	if !c.RecordLost {
		return ""
	}
	text := "THE PLACEMENT'S RECORD IS MISSING OR OUTDATED: other objects there with the placement's label " + effect
	if c.recordProblem != "" {
		text = "THE PLACEMENT'S RECORD DOES NOT VERIFY and is not used: " + Message(c.recordProblem) + ". Objects there with the placement's label " + RecordedAgain
	}
	if len(c.unlisted) > 0 {
		text += "; " + Message(words.List(c.unlisted, MaxClusters)) + " could not be checked"
	}
	return text
}

// RecordedAgain is the effect of a lost record on objects with the placement's label.
const RecordedAgain = "count as pre-existing, and nothing deletes them"

// needsCheck reports whether only a check of the cluster shows what happens to an object. For other objects, the placement's record is sufficient.
func needsCheck(object engine.ObjectPreview) bool {
	switch object.Action {
	case takeover.ActionNone, takeover.ActionPrune, takeover.ActionOrphan, takeover.ActionHandOver:
		return false
	case takeover.ActionCreate, takeover.ActionUpdate, takeover.ActionTakeOver, takeover.ActionTakeOverFrom, takeover.ActionLeaveAlone,
		takeover.ActionLeaveDrifted, takeover.ActionReplace, takeover.ActionReject, takeover.ActionReport, takeover.ActionUnknown, takeover.ActionDefer:
	}
	return true
}

func describeChecks(c engine.ClusterPreview) (all, limits string) {
	untried := describeUntried(c)
	switch c.CheckMethod {
	case engine.CheckDryRun:
		all = "live reads and server-side dry runs" + untried
		if untried != "" {
			limits = "checked with " + all
		}
	case engine.CheckReadOnly:
		all = "live reads only; some writes were not dry-run" + untried
		limits = "checked with live reads only; some writes were not dry-run" + untried
	case engine.CheckOffline:
		if c.IsAssumedNew() {
			all, limits = "nothing: the member is assumed, and was not checked", "not checked, because the member is assumed"
		}
	}
	return all, limits
}

// describeUntried counts the objects that need a dry run and have had none. If the credentials do not allow the write of an object, it counts the object only
// for an update, or a takeover that may remove fields: describeChecks already says that some writes were not dry-run.
func describeUntried(c engine.ClusterPreview) string {
	of := map[engine.Untried]int{}
	updates, takeovers := 0, 0
	for _, object := range c.Objects {
		if object.ProvidedBy == "" { // [Report].Arriving has the others
			of[object.Untried]++
		}
		switch {
		case object.Untried != engine.UntriedPermission:
		case object.Action == takeover.ActionUpdate:
			updates++
		case object.MayRemove:
			takeovers++
		}
	}
	text := ""
	for _, of := range []struct {
		count int
		noun  string
	}{{updates, "update"}, {takeovers, "takeover"}} {
		if of.count > 0 {
			text += fmt.Sprintf("; %s may remove fields that are not shown", words.Count(of.count, of.noun))
		}
	}
	for _, reason := range []struct {
		untried engine.Untried
		words   string
	}{
		{engine.UntriedNamespace, "not dry-run, because the Namespace does not exist yet"},
		{engine.UntriedKind, "not dry-run, because the kind is not served yet"},
		{engine.UntriedRace, "not dry-run, because others changed them repeatedly during the check"},
	} {
		if n := of[reason.untried]; n > 0 {
			text += fmt.Sprintf("; %s %s", words.Count(n, "object"), reason.words)
		}
	}
	return text
}

func countActions(c engine.ClusterPreview) string {
	of, kept := map[takeover.Action]int{}, 0
	for _, object := range c.Objects {
		if object.Action == takeover.ActionNone && object.Obstacle != takeover.ObstacleNone {
			kept++
		} else {
			of[object.Action]++
		}
	}
	text := Numbers(of, []Number{
		{takeover.ActionLeaveAlone, "%d not taken over"}, {takeover.ActionTakeOver, "%d to take over"},
		{takeover.ActionTakeOverFrom, "%d to take over from other placements"}, {takeover.ActionReject, "%d cannot be placed"},
		{takeover.ActionLeaveDrifted, "%d drifted and not updated"}, {takeover.ActionReport, "%d to report only"}, {takeover.ActionCreate, "%d to create"},
		{takeover.ActionUpdate, "%d to update"}, {takeover.ActionReplace, "%d to DELETE and recreate"}, {takeover.ActionPrune, "%d to DELETE"},
		{takeover.ActionOrphan, "%d to leave on the cluster"}, {takeover.ActionHandOver, "%d to hand over"}, {takeover.ActionDefer, "%d to DELETE with the next apply"},
		{takeover.ActionUnknown, "%d not checked"}, {takeover.ActionNone, "%d unchanged"},
	})
	if kept > 0 {
		text = strings.TrimPrefix(fmt.Sprintf("%s, %d to keep", text, kept), ", ")
	}
	return text
}
