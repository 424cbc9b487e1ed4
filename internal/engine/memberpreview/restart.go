package memberpreview

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
)

// restart is what the write that was decided on does to the Pods of a workload, by what is known of how the object differs. Where the write was
// tried with a dry run that has told it already; where it should have been and was not, a Pod template that is not seen to change may change all
// the same, and a rollout that is held now may go on.
func (m *Member) restart(o *Object, preview engine.ObjectPreview) workload.Restart {
	written := preview.Action == takeover.ActionUpdate || preview.Action == takeover.ActionTakeOver || preview.Action == takeover.ActionTakeOverFrom
	if !written || preview.RemainsDrifted() || !m.DryRun || o.Live == nil || !workload.RollsOut(o.GroupVersionKind().GroupKind()) {
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
