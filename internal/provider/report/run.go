package report

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

// UpdateRun reports a staged update run that is not complete. A failed run is an error, because a hub does not resume it. An err other than a timeout is
// reported as an error, too. One case is only a warning: created is true, so the run is new, and err is an [engine.UnfollowedError]. After an error, the next
// apply would replace this run while it rolls out. A run that waits for an approval or timed out is a warning.
func UpdateRun(diags *diag.Diagnostics, at path.Path, run engine.Reference, created bool, status stagedupdate.Status, err error) {
	title := fmt.Sprintf("The staged update run %q ", run)
	approvals := status.Approvals()
	stages := &plain.Section{Unit: "stage"}
	for _, stage := range status.Stages {
		stages.Add(model.Name(stage.Name) + ": " + model.Message(stage.Summary()))
	}
	says := ""
	if message := status.Message(); message != "" {
		says = "The hub reports: " + model.Message(message) + "\n\n"
	}
	text := says + plain.Layout(stages)
	timedOut := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	const continues = "It continues on its own. The next refresh shows its progress."
	switch phase := status.Phase(); {
	case created && isUnfollowed(err):
		diags.AddAttributeWarning(at, title+"could not be followed", explain(err)+"\n\n"+text+"\n\nIt is written on the hub. "+continues)
	case err != nil && !timedOut:
		Error(diags, at, title+"could not be followed", err)
	case phase == stagedupdate.PhaseFailed:
		diags.AddAttributeError(at, title+"has failed", text+"\n\nClusters that it has updated keep the new version. A hub does not resume a failed run. Fix the "+
			"reported cause and apply again: the apply creates a new run.")
	case len(approvals) > 0:
		diags.AddAttributeWarning(at, title+"waits for an approval", text+"\n\nApprove it with the action fleet_stage_approval.")
	case timedOut:
		diags.AddAttributeWarning(at, title+"timed out", text+"\n\n"+continues)
	}
}
