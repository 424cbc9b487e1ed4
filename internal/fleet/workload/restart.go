package workload

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
)

// Restart is the effect of a write on the Pods of a workload.
type Restart string

const (
	// RestartNone replaces no Pods.
	RestartNone Restart = "none"
	// RestartRollout replaces the Pods according to the workload's strategy.
	RestartRollout Restart = "rollout"
	// RestartLater replaces no Pods by itself. It is the [Restart.Outcome] of RestartOnDeletion, RestartOnceResumed and RestartBelowPartition.
	RestartLater Restart = "later"
	// RestartUnknown means that the effect could not be determined.
	RestartUnknown Restart = "unknown"

	// RestartInPart is a rollout that replaces the Pods of a StatefulSet from its partition on, and the others once the partition is lowered.
	RestartInPart Restart = "rollout_in_part"
	// RestartOnDeletion replaces each Pod when it is deleted.
	RestartOnDeletion Restart = "on_deletion"
	// RestartOnceResumed replaces the Pods when the rollout is resumed. A Pod that is deleted earlier is recreated unchanged.
	RestartOnceResumed Restart = "once_resumed"
	// RestartBelowPartition replaces the Pods when the partition is lowered: now, all of them are below it. A Pod that is deleted earlier is
	// recreated unchanged.
	RestartBelowPartition Restart = "below_partition"
)

// Values lists the values of [Restart.Outcome].
func (Restart) Values() []string {
	return []string{string(RestartNone), string(RestartRollout), string(RestartLater), string(RestartUnknown)}
}

// Outcome returns the part that matters for a decision: whether Pods are replaced by the write itself, later, or not at all, or [RestartUnknown].
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

// RollsOut reports whether objects of a kind replace their Pods when their Pod template changes. A Job creates its Pods once, and a CronJob does
// not affect running Pods.
func RollsOut(kind schema.GroupKind) bool { return kind.Group == "apps" && Is(kind) }

// Restarts returns the effect of a write on the Pods of a workload, and the differences that cause it; see [RestartCauses]. after is the object as the API
// server would store it, from a dry run of the write.
//
// The generation does not show whether a write replaces Pods: that of a Deployment changes with every annotation.
func Restarts(known diff.Schema, live, after *unstructured.Unstructured) (Restart, []diff.Difference) {
	if !RollsOut(kindOf(live)) {
		return RestartNone, nil
	}
	differences := diff.Full(known, after, live).Differences
	return RestartOf(live, after, differences), RestartCauses(kindOf(live), differences)
}

// RestartOf does the same as [Restarts] for known differences between the live object and the result of the write.
//
// A changed Pod template rolls out as far as the workload allows. An earlier change that is blocked rolls out if the write lifts the block.
func RestartOf(live, after *unstructured.Unstructured, differences []diff.Difference) Restart {
	kind := kindOf(live)
	if !RollsOut(kind) {
		return RestartNone
	}
	pods := countPods(live)
	switch changes := len(templateChanges(kind, differences)) > 0; {
	case pods == 0:
		return RestartNone
	case changes, countReplaceable(after, pods) > countReplaceable(live, pods) && isBehind(live):
		return classifyRollout(after, pods)
	default:
		return RestartNone
	}
}

// classifyRollout returns how a workload replaces its Pods after a write, if all of them have an earlier Pod template.
func classifyRollout(after *unstructured.Unstructured, pods int64) Restart {
	switch reached := countReplaceable(after, pods); {
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

// RestartCauses returns the differences that make a write replace Pods: those in the Pod template, or otherwise those that unblock an earlier change.
func RestartCauses(kind schema.GroupKind, differences []diff.Difference) []diff.Difference {
	if !RollsOut(kind) {
		return nil
	}
	if changes := templateChanges(kind, differences); len(changes) > 0 {
		return changes
	}
	return filterByField(differences, "/spec/paused", "/spec/updateStrategy")
}

func templateChanges(kind schema.GroupKind, differences []diff.Difference) []diff.Difference {
	return filterByField(differences, "/"+strings.Join(templates[kind], "/"))
}

func filterByField(differences []diff.Difference, fields ...string) []diff.Difference {
	var out []diff.Difference
	for _, d := range differences {
		if slices.ContainsFunc(fields, func(field string) bool { return d.Path == field || strings.HasPrefix(d.Path, field+"/") }) {
			out = append(out, d)
		}
	}
	return out
}

// countPods returns how many Pods a workload has, or is creating. For a DaemonSet whose status is not current it returns 1, because there may be Pods.
func countPods(u *unstructured.Unstructured) int64 {
	if kindOf(u).Kind == "DaemonSet" {
		if isUnobserved(u) {
			return 1
		}
		return max(readNumber(u, 0, "status", "desiredNumberScheduled"), readNumber(u, 0, "status", "currentNumberScheduled"))
	}
	return max(readNumber(u, 1, "spec", "replicas"), readNumber(u, 0, "status", "replicas"))
}

// countReplaceable returns how many of its Pods a workload replaces by itself: none while it is paused or updated on deletion, and for a StatefulSet those
// from the partition on. pods is the number of Pods.
func countReplaceable(u *unstructured.Unstructured, pods int64) int64 {
	if isPaused(u) || isUpdatedOnDeletion(u) {
		return 0
	}
	return max(0, pods-readNumber(u, 0, "spec", "updateStrategy", "rollingUpdate", "partition"))
}

func isPaused(u *unstructured.Unstructured) bool {
	paused, _, _ := unstructured.NestedBool(u.Object, "spec", "paused")
	return paused
}

func isUpdatedOnDeletion(u *unstructured.Unstructured) bool {
	strategy, _, _ := unstructured.NestedString(u.Object, "spec", "updateStrategy", "type")
	return strategy == "OnDelete"
}

// isBehind reports whether a workload has Pods that were not created from its current Pod template, or may have some.
func isBehind(u *unstructured.Unstructured) bool {
	running, updated := "replicas", "updatedReplicas"
	if kindOf(u).Kind == "DaemonSet" {
		running, updated = "currentNumberScheduled", "updatedNumberScheduled"
	}
	return isUnobserved(u) || readNumber(u, 0, "status", updated) < readNumber(u, 0, "status", running)
}

// isUnobserved reports whether the status is missing or that of an earlier generation.
func isUnobserved(u *unstructured.Unstructured) bool {
	observed := readNumber(u, 0, "status", "observedGeneration")
	return observed == 0 || observed < readNumber(u, 0, "metadata", "generation")
}

func readNumber(u *unstructured.Unstructured, absent int64, path ...string) int64 {
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
