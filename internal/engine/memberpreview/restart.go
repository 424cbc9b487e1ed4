package memberpreview

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
)

// restart returns what the write does to the Pods of a workload. If a dry run was sent, it has set the result already. If a dry run was needed
// but not sent, the result is unknown unless the known differences start a rollout: the Pod template may change without a visible difference, and a paused
// rollout may resume.
func (m *Member) restart(o *Object, preview engine.ObjectPreview) workload.Restart {
	isWritten := preview.Action == takeover.ActionUpdate || preview.Action == takeover.ActionTakeOver || preview.Action == takeover.ActionTakeOverFrom
	if !isWritten || preview.RemainsDrifted() || !m.DryRun || o.Live == nil || !workload.RollsOut(o.GroupVersionKind().GroupKind()) {
		return ""
	}
	if preview.Restart != "" {
		return preview.Restart
	}
	restart := workload.RestartOf(o.Live, o.Live, preview.Differences)
	if restart.Outcome() != workload.RestartRollout && (preview.Untried != "" || len(preview.Differences) > 0) {
		return workload.RestartUnknown
	}
	return restart
}
