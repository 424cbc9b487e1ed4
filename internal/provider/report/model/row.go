package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
)

// Row is what happens to one object, alike on all of its clusters.
type Row struct {
	Action   takeover.Action
	Obstacle takeover.Obstacle
	// Object is the kind and name of the object, with the envelope that contains it.
	Object   string
	Clusters []string
	// Owner is the owner of the object if it is not this placement, or "". A pre-existing object without a known owner has a text, too.
	Owner string
	// Placement is the placement that the object is taken over from, or handed over to.
	Placement string
	// Created reports that the placement that hands the object over also created the object. Claimed is that of [engine.ObjectPreview].
	Created, Claimed bool
	// Reason is the reason of the predicted condition. Why is a clause that says why the object is not written or deleted, or why it is recreated; "" if Fields or
	// Owner show the reason.
	Reason, Why string
	// Equal reports that the object was compared and does not differ from the placed one.
	Equal  bool
	Exists bool
	Fields []Field
	// RemainsDrifted reports that the object changes its owner and is not updated. Drifts are the fields for which the object is reported as drifted once it is
	// written.
	RemainsDrifted bool
	Drifts         []string
	// Restart is what the write does to the Pods of a workload, RestartCauses are the fields that cause it.
	Restart       workload.Restart
	RestartCauses []string
	// Contents says what is deleted with a Namespace or CustomResourceDefinition; "" for objects of other kinds. ContentNames names the first of the deleted
	// objects; other clients may have chosen these names. [Row.DescribeContents] has both. Empty reports that nothing else is deleted.
	Contents, ContentNames string
	Empty                  bool
	// Result is the result of a comparison without a write, "" if there is no difference; Message says why the comparison failed.
	Result, Message string
	// Weighs reports that a person has to weigh what happens to the object. Overwrites reports that an update overwrites a value that others have set.
	Weighs, Overwrites bool
	// Again reports that the object is created, that the placement had written it before, and that it was deleted since.
	Again bool
}

// newRows returns what happens to objects, by action. An object with which the same happens on several clusters has one row. Conflicts with differences are
// first, because there may not be space for all. Objects that are created or remain unchanged have no row.
func newRows(preview *engine.Preview, options Options) map[takeover.Action][]*Row {
	out := map[takeover.Action][]*Row{}
	known := map[string]*Row{}
	for _, cluster := range preview.Clusters {
		for _, object := range cluster.Objects {
			if isQuiet(object) {
				continue
			}
			object.Problem, object.Message = Impersonal(object.Problem, cluster.Name), Impersonal(object.Message, cluster.Name)
			key := identity(object)
			if known[key] == nil {
				known[key] = newRow(preview, object, options)
				out[object.Action] = append(out[object.Action], known[key])
			}
			known[key].Clusters = append(known[key].Clusters, Name(cluster.Name))
		}
	}
	for _, conflicts := range [][]*Row{out[takeover.ActionLeaveAlone], out[takeover.ActionTakeOver]} {
		slices.SortStableFunc(conflicts, func(a, b *Row) int { return min(1, len(b.Fields)) - min(1, len(a.Fields)) })
	}
	return out
}

func newRow(preview *engine.Preview, o engine.ObjectPreview, options Options) *Row {
	out := &Row{
		Action: o.Action, Obstacle: o.Obstacle, Object: Title(o.Identifier), Owner: describeOwner(o), Placement: Name(o.To), Claimed: o.Claimed,
		Reason: Name(o.Reason), Why: describeObstacle(o), Exists: o.Exists, Fields: objectFields(o, preview.Manager), RemainsDrifted: o.RemainsDrifted(),
		Restart: o.Restart, Empty: o.Contents != nil && o.Contents.Empty(), Result: describeResult(o), Message: Message(o.Message),
		Weighs: weighs(preview, o, options.Strategy), Overwrites: overwrites(o, preview.Manager),
	}
	out.Contents, out.ContentNames = describeContents(o)
	if o.Given != nil {
		out.Placement, out.Created = Name(o.Given.From), o.Given.Created
	}
	compared := o.Action == takeover.ActionTakeOver || o.Obstacle == takeover.ObstacleMode
	out.Equal = compared && !o.Claimed && len(o.Differences) == 0
	if willDrift(o, options.Strategy) {
		for _, detail := range o.ObservedDrifts {
			out.Drifts = append(out.Drifts, Name(detail.Path))
		}
	}
	for _, d := range workload.RestartCauses(o.GroupVersionKind().GroupKind(), o.Differences) {
		out.RestartCauses = append(out.RestartCauses, fieldName(d))
	}
	return out
}

// identity returns a text that is equal if the same happens to the same object on several clusters. Objects with the same text share a row.
func identity(object engine.ObjectPreview) string {
	object.Mark, object.ResourceVersion = "", "" // the differences are compared instead
	if object.Given != nil {
		given := *object.Given
		given.UID, object.Given = "", &given
	}
	text, err := json.Marshal(object)
	if err != nil { // the values of an object are JSON
		return fmt.Sprint(object)
	}
	return string(text)
}

// Title returns the kind and name of an object, and the envelope that contains it.
func Title(id manifest.Identifier) string {
	text := Name(id.String())
	if e := id.Envelope; e != nil {
		text += FromEnvelope + Name(strings.TrimPrefix(e.Namespace+"/"+e.Name, "/"))
	}
	return text
}

// FromEnvelope is the part of a [Title] before the name of the envelope.
const FromEnvelope = " from envelope "

// describeOwner returns who owns an object that is not the placement's. For a conflict or a takeover of an object without a known owner, it returns
// "no known owner".
func describeOwner(o engine.ObjectPreview) string {
	if o.Owner.Kind == takeover.OwnerNone && (o.Action == takeover.ActionLeaveAlone || o.Action == takeover.ActionTakeOver) {
		return "no known owner"
	}
	return Name(o.Owner.String())
}

func describeObstacle(o engine.ObjectPreview) string {
	if o.Claimed || o.Action == takeover.ActionReplace || o.Action == takeover.ActionHandOver {
		return Message(o.Problem)
	}
	switch o.Obstacle {
	case takeover.ObstacleNone, takeover.ObstacleMode, takeover.ObstacleDifferences:
		return ""
	case takeover.ObstacleForeignOwner, takeover.ObstacleOwnerReferences:
		if o.Owner.Exclusive {
			return ""
		}
	case takeover.ObstacleDegradedDifferences, takeover.ObstacleNotCompared, takeover.ObstacleNotAgreed, takeover.ObstacleBeingDeleted,
		takeover.ObstacleNotServed, takeover.ObstacleNotReadable, takeover.ObstacleAdmission, takeover.ObstacleContents,
		takeover.ObstacleOccupied, takeover.ObstacleAdopted, takeover.ObstacleAbandoned, takeover.ObstacleReplaced, takeover.ObstacleNotOwned, takeover.ObstacleLeft:
	}
	return Message(o.Problem)
}

func describeResult(o engine.ObjectPreview) string {
	switch {
	case o.Action != takeover.ActionReport:
		return ""
	case o.Obstacle != takeover.ObstacleNone:
		return "could not be compared"
	case !o.Exists:
		return "does not exist"
	case len(o.Differences)+len(o.ObservedDiffs) > 0:
		return "differs"
	default:
		return ""
	}
}

func weighs(preview *engine.Preview, o engine.ObjectPreview, strategy placement.ApplyStrategy) bool {
	changes := o.Restart != workload.RestartNone && o.Restart != "" || willDrift(o, strategy)
	switch o.Action {
	case takeover.ActionNone, takeover.ActionOrphan:
		return o.Obstacle != takeover.ObstacleNone && o.Obstacle != takeover.ObstacleLeft // the plan of the member shows that the member leaves
	case takeover.ActionCreate:
		return false
	case takeover.ActionUpdate:
		return changes || overwrites(o, preview.Manager)
	case takeover.ActionTakeOver:
		return changes || len(o.Differences) > 0 || preview.Hub != nil && !preview.OnHub().KeepsAdopted
	case takeover.ActionTakeOverFrom:
		return changes || len(o.Differences) > 0 || o.RemainsDrifted()
	case takeover.ActionHandOver:
		return o.Problem != ""
	case takeover.ActionReport:
		return describeResult(o) != ""
	case takeover.ActionLeaveAlone, takeover.ActionLeaveDrifted, takeover.ActionReplace, takeover.ActionReject, takeover.ActionPrune,
		takeover.ActionDefer, takeover.ActionUnknown:
	}
	return true
}

// overwrites reports whether an update overwrites a value that another manager has set.
func overwrites(o engine.ObjectPreview, manager string) bool {
	if o.Action != takeover.ActionUpdate {
		return false
	}
	return slices.ContainsFunc(o.Differences, func(d diff.Difference) bool { return d.SetByOthers(manager) })
}

// willDrift reports whether the hub or the engine reports an object as drifted after its write. A write does not remove fields that the placed object lacks,
// and a full comparison reports these fields as drifts.
func willDrift(object engine.ObjectPreview, strategy placement.ApplyStrategy) bool {
	return strategy.WhenToApply == placement.ApplyIfNotDrifted && strategy.ComparisonOption.ComparesAllFields() &&
		strategy.Type != placement.ReportDiff && !object.RemainsDrifted() && object.Action.Places() && object.Action.Writes() && len(object.ObservedDrifts) > 0
}

// Restarts says what the write does to the Pods of a workload, or returns "" if it does not affect them.
func (r *Row) Restarts() string {
	switch r.Restart {
	case workload.RestartRollout, workload.RestartInPart, workload.RestartLater, workload.RestartOnDeletion, workload.RestartOnceResumed,
		workload.RestartBelowPartition:
		if len(r.RestartCauses) == len(r.Fields) { // all fields are causes, and the formats show the fields next to this text
			return DescribeRestart(r.Restart)
		}
		text := DescribeRestart(r.Restart) + ": " + words.List(r.RestartCauses, MaxClusters) + " differ"
		if len(r.RestartCauses) == 1 {
			text += "s"
		}
		return text
	case workload.RestartUnknown:
		return "unknown whether its Pods restart (not dry-run)"
	case workload.RestartNone, "":
	}
	return ""
}

// DescribeRestart says which Pods a write replaces, and when.
func DescribeRestart(restart workload.Restart) string {
	if restart == workload.RestartRollout {
		return "restarts its Pods"
	}
	if restart == workload.RestartInPart {
		return "restarts its Pods from the partition on, and the others " + WhenReplaced(restart)
	}
	return "its Pods are replaced " + WhenReplaced(restart)
}

// WhenReplaced says when Pods are replaced if the write itself does not replace them. A Pod that is deleted while the rollout
// is paused, or while it is below the partition, is recreated unchanged.
func WhenReplaced(restart workload.Restart) string {
	switch restart {
	case workload.RestartOnDeletion:
		return "when they are deleted"
	case workload.RestartOnceResumed:
		return "when its rollout is resumed"
	case workload.RestartBelowPartition, workload.RestartInPart:
		return "when its partition is lowered"
	case workload.RestartLater, workload.RestartRollout, workload.RestartNone, workload.RestartUnknown:
	}
	return "later"
}
