package memberpreview

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
)

// restart returns the effect of the write on the Pods of a workload. It returns "" if the object is not written, is new, or does not roll out Pods, and if
// [Member.DryRun] is false. If a dry run was sent, the preview already has the effect. Otherwise, the known differences show it if they start a rollout. If
// they start none, although there are differences or a dry run was needed, the effect is unknown: the Pod template may change without a visible difference,
// and a paused rollout may resume.
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
