package report

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
)

// restart says what the write does to the Pods of a workload, empty for nothing.
func (f *finding) restart() string {
	changes := f.templateChanges()
	differ := list(changes, maxClusters) + " differ"
	if len(changes) == 1 {
		differ += "s"
	}
	switch f.object.Restart {
	case workload.RestartRollout:
		return "restarts its Pods: " + differ
	case workload.RestartLater:
		return restartLater + ": " + differ
	case workload.RestartUnknown:
		return "it was not tried whether its Pods restart"
	case workload.RestartNone, "":
	}
	return ""
}

// restartLater is for a workload that is paused, or updated on deletion.
const restartLater = "its Pods are replaced once they are deleted or its rollout is resumed"

// templateChanges are the fields of the Pod template that the write changes.
func (f *finding) templateChanges() []string {
	var out []string
	for _, d := range workload.RestartCauses(f.object.GroupVersionKind().GroupKind(), f.object.Differences) {
		out = append(out, field(d))
	}
	return out
}

// restarts tells whether the write restarts the Pods of a workload by itself.
func restarts(object engine.ObjectPreview) bool { return object.Restart == workload.RestartRollout }

// restartTable names the workloads whose Pods do not stay.
func restartTable(found map[takeover.Action][]*finding) *table {
	out := &table{
		title: "Workloads whose Pods restart, or may", head: []string{"Object", "On", "What happens", "Because of"}, reserve: 6000,
	}
	for _, action := range []takeover.Action{takeover.ActionTakeOver, takeover.ActionUpdate} {
		for _, f := range found[action] {
			switch f.object.Restart {
			case workload.RestartRollout:
				out.row(len(f.clusters), f.cell(), f.where(), "**restarts its Pods**", codes(f.templateChanges()))
			case workload.RestartLater:
				out.row(len(f.clusters), f.cell(), f.where(), restartLater, codes(f.templateChanges()))
			case workload.RestartUnknown:
				out.row(len(f.clusters), f.cell(), f.where(), f.restart(), "")
			case workload.RestartNone, "":
			}
		}
	}
	return fold(out)
}
