package report

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
)

// restart says what the write does to the Pods of a workload, empty for nothing.
func (f *finding) restart() string {
	differ := ""
	// Where all that differs is a reason, the fields below say so.
	if changes := f.templateChanges(); len(changes) < len(f.object.Differences) {
		differ = ": " + words.List(changes, maxClusters) + " differ"
		if len(changes) == 1 {
			differ += "s"
		}
	}
	switch f.object.Restart {
	case workload.RestartRollout, workload.RestartInPart, workload.RestartLater, workload.RestartOnDeletion, workload.RestartOnceResumed,
		workload.RestartBelowPartition:
		return whatRestarts(f.object.Restart) + differ
	case workload.RestartUnknown:
		return "it was not tried whether its Pods restart"
	case workload.RestartNone, "":
	}
	return ""
}

// whatRestarts says which Pods a write replaces, and when.
func whatRestarts(restart workload.Restart) string {
	if restart == workload.RestartRollout {
		return "restarts its Pods"
	}
	if restart == workload.RestartInPart {
		return "restarts its Pods from the partition on, and the others " + whenReplaced(restart)
	}
	return "its Pods are replaced " + whenReplaced(restart)
}

// whenReplaced says what has to happen before Pods are replaced that are held. One that is deleted while its rollout is paused, or below a partition,
// comes back as it was.
func whenReplaced(restart workload.Restart) string {
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

// templateChanges are the fields of the Pod template that the write changes.
func (f *finding) templateChanges() []string {
	var out []string
	for _, d := range workload.RestartCauses(f.object.GroupVersionKind().GroupKind(), f.object.Differences) {
		out = append(out, field(d))
	}
	return out
}

// restarts tells whether the write restarts the Pods of a workload by itself.
func restarts(object engine.ObjectPreview) bool {
	return object.Restart.Outcome() == workload.RestartRollout
}

// restartTable names the workloads whose Pods do not stay.
func restartTable(found map[takeover.Action][]*finding) *table {
	out := &table{
		title: "Workloads whose Pods restart, or may", head: []string{"Object", "On", "What happens", "Because of"}, reserve: 6000,
	}
	for _, action := range []takeover.Action{takeover.ActionTakeOver, takeover.ActionUpdate} {
		for _, f := range found[action] {
			switch what := f.object.Restart; what.Outcome() {
			case workload.RestartRollout:
				out.row(len(f.clusters), f.cell(), f.where(), "**"+whatRestarts(what)+"**", codes(f.templateChanges()))
			case workload.RestartLater:
				out.row(len(f.clusters), f.cell(), f.where(), whatRestarts(what), codes(f.templateChanges()))
			case workload.RestartUnknown:
				out.row(len(f.clusters), f.cell(), f.where(), f.restart(), "")
			case workload.RestartNone, workload.RestartInPart, workload.RestartOnDeletion, workload.RestartOnceResumed, workload.RestartBelowPartition, "":
			}
		}
	}
	return fold(out)
}
