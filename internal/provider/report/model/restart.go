package model

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
)

// Restarts says what the write does to the Pods of a workload, "" for nothing.
func (r *Row) Restarts() string {
	switch r.Restart {
	case workload.RestartRollout, workload.RestartInPart, workload.RestartLater, workload.RestartOnDeletion, workload.RestartOnceResumed,
		workload.RestartBelowPartition:
		if len(r.RestartCauses) == len(r.Fields) { // the fields are shown with the object
			return Restarts(r.Restart)
		}
		text := Restarts(r.Restart) + ": " + words.List(r.RestartCauses, MaxClusters) + " differ"
		if len(r.RestartCauses) == 1 {
			text += "s"
		}
		return text
	case workload.RestartUnknown:
		return "it was not tried whether its Pods restart"
	case workload.RestartNone, "":
	}
	return ""
}

// Restarts says which Pods a write replaces, and when.
func Restarts(restart workload.Restart) string {
	if restart == workload.RestartRollout {
		return "restarts its Pods"
	}
	if restart == workload.RestartInPart {
		return "restarts its Pods from the partition on, and the others " + WhenReplaced(restart)
	}
	return "its Pods are replaced " + WhenReplaced(restart)
}

// WhenReplaced says what has to happen before Pods are replaced that a write does not replace. A Pod that is deleted while its rollout is paused, or below a
// partition, is recreated unchanged.
func WhenReplaced(restart workload.Restart) string {
	switch restart {
	case workload.RestartOnDeletion:
		return "once somebody deletes them"
	case workload.RestartOnceResumed:
		return "once its rollout is resumed"
	case workload.RestartBelowPartition, workload.RestartInPart:
		return "once its partition is lowered"
	case workload.RestartLater, workload.RestartRollout, workload.RestartNone, workload.RestartUnknown:
	}
	return "later"
}
