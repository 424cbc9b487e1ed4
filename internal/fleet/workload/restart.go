package workload

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
)

// Restart is what a write does to the Pods of a workload.
type Restart string

// The outcomes.
const (
	// RestartNone leaves all Pods as they are.
	RestartNone Restart = "none"
	// RestartRollout replaces them, as the workload's strategy says.
	RestartRollout Restart = "rollout"
	// RestartLater replaces none of them by itself. What has to happen first is told by one of the outcomes that [Restart.Outcome] sums up in it.
	RestartLater Restart = "later"
	// RestartUnknown means that nobody could be asked.
	RestartUnknown Restart = "unknown"

	// RestartInPart is a rollout that replaces the Pods of a StatefulSet from its partition on, and the others when the partition is lowered.
	RestartInPart Restart = "rollout_in_part"
	// RestartOnDeletion replaces each of them when somebody deletes it.
	RestartOnDeletion Restart = "on_deletion"
	// RestartOnceResumed replaces them when the rollout is resumed. One that is deleted before comes back as it was.
	RestartOnceResumed Restart = "once_resumed"
	// RestartBelowPartition replaces them when the partition is lowered, which holds all of them. One that is deleted before comes back as it was.
	RestartBelowPartition Restart = "below_partition"
)

// Values lists the values of [Restart.Outcome].
func (Restart) Values() []string {
	return []string{string(RestartNone), string(RestartRollout), string(RestartLater), string(RestartUnknown)}
}

// Outcome is what matters to a decision: whether Pods are replaced by the write itself, later, or not at all.
func (r Restart) Outcome() Restart {
	switch r {
	case RestartInPart:
		return RestartRollout
	case RestartOnDeletion, RestartOnceResumed, RestartBelowPartition:
		return RestartLater
	case RestartNone, RestartRollout, RestartLater, RestartUnknown:
	}
	return r
}

// RollsOut tells whether the objects of a kind replace their Pods when their Pod template changes. What is no workload has no Pods, those of a
// Job are made once, and what a CronJob makes next does not touch what runs.
func RollsOut(kind schema.GroupKind) bool { return kind.Group == "apps" && Is(kind) }

// Restarts tells what a write does to the Pods of a workload: after is the object as the API server would store it, by a dry run of the write.
// The fields are those whose change does it.
//
// The generation tells nothing: that of a Deployment goes up with every annotation.
func Restarts(known diff.Schema, live, after *unstructured.Unstructured) (Restart, []diff.Difference) {
	if !RollsOut(kindOf(live)) {
		return RestartNone, nil
	}
	differences := diff.Full(known, after, live).Differences
	return RestartOf(live, after, differences), RestartCauses(kindOf(live), differences)
}

// RestartOf is what [Restarts] tells, where it is known already how the object that the write makes differs from the one that is there.
//
// A Pod template that changes is rolled out as far as the workload lets it. One that has changed before, and was held back, is rolled out by a
// write that holds back less.
func RestartOf(live, after *unstructured.Unstructured, differences []diff.Difference) Restart {
	kind := kindOf(live)
	if !RollsOut(kind) {
		return RestartNone
	}
	pods := podsOf(live)
	switch changes := len(templateChanges(kind, differences)) > 0; {
	case pods == 0:
		return RestartNone
	case changes, reach(after, pods) > reach(live, pods) && isBehind(live):
		return rollout(after, pods)
	default:
		return RestartNone
	}
}

// rollout is what comes of Pods of an earlier template.
func rollout(after *unstructured.Unstructured, pods int64) Restart {
	switch reached := reach(after, pods); {
	case reached >= pods:
		return RestartRollout
	case reached > 0:
		return RestartInPart
	case isPaused(after):
		return RestartOnceResumed
	case isUpdatedOnDeletion(after):
		return RestartOnDeletion
	default:
		return RestartBelowPartition
	}
}

// RestartCauses are those of the differences by which a write replaces Pods: those in the Pod template, or else those that let go on what was held
// back.
func RestartCauses(kind schema.GroupKind, differences []diff.Difference) []diff.Difference {
	if !RollsOut(kind) {
		return nil
	}
	if changes := templateChanges(kind, differences); len(changes) > 0 {
		return changes
	}
	return within(differences, "/spec/paused", "/spec/updateStrategy")
}

// templateChanges are those of the differences that are in the Pod template.
func templateChanges(kind schema.GroupKind, differences []diff.Difference) []diff.Difference {
	return within(differences, "/"+strings.Join(templates[kind], "/"))
}

// within are the differences at, or in, one of the fields.
func within(differences []diff.Difference, fields ...string) []diff.Difference {
	var out []diff.Difference
	for _, d := range differences {
		if slices.ContainsFunc(fields, func(field string) bool { return d.Path == field || strings.HasPrefix(d.Path, field+"/") }) {
			out = append(out, d)
		}
	}
	return out
}

// podsOf is how many Pods a workload has, or makes at this moment. A DaemonSet of which no controller has told yet may have some.
func podsOf(u *unstructured.Unstructured) int64 {
	if kindOf(u).Kind == "DaemonSet" {
		if isUnobserved(u) {
			return 1
		}
		return max(number(u, 0, "status", "desiredNumberScheduled"), number(u, 0, "status", "currentNumberScheduled"))
	}
	return max(number(u, 1, "spec", "replicas"), number(u, 0, "status", "replicas"))
}

// reach is how many of its Pods a workload replaces by itself: none while it is paused or updated on deletion, and of a StatefulSet those from the
// partition on.
func reach(u *unstructured.Unstructured, pods int64) int64 {
	if isPaused(u) || isUpdatedOnDeletion(u) {
		return 0
	}
	return max(0, pods-number(u, 0, "spec", "updateStrategy", "rollingUpdate", "partition"))
}

func isPaused(u *unstructured.Unstructured) bool {
	paused, _, _ := unstructured.NestedBool(u.Object, "spec", "paused")
	return paused
}

func isUpdatedOnDeletion(u *unstructured.Unstructured) bool {
	strategy, _, _ := unstructured.NestedString(u.Object, "spec", "updateStrategy", "type")
	return strategy == "OnDelete"
}

// isBehind tells whether Pods of an earlier Pod template may run.
func isBehind(u *unstructured.Unstructured) bool {
	running, updated := "replicas", "updatedReplicas"
	if kindOf(u).Kind == "DaemonSet" {
		running, updated = "currentNumberScheduled", "updatedNumberScheduled"
	}
	return isUnobserved(u) || number(u, 0, "status", updated) < number(u, 0, "status", running)
}

// isUnobserved tells whether the status is of an earlier object.
func isUnobserved(u *unstructured.Unstructured) bool {
	observed := number(u, 0, "status", "observedGeneration")
	return observed == 0 || observed < number(u, 0, "metadata", "generation")
}

// number reads a field that is a whole number.
func number(u *unstructured.Unstructured, absent int64, path ...string) int64 {
	value, found, _ := unstructured.NestedFieldNoCopy(u.Object, path...)
	switch value := value.(type) {
	case int64:
		return value
	case float64:
		return int64(value)
	}
	if found {
		return 0
	}
	return absent
}
