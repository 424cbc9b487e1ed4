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

// UpdateRun reports a staged update run that is not complete. A failed run is an error, because a hub does not resume it. A new run that could not be followed
// is a warning: after an error, the next apply would replace it while it rolls out.
func UpdateRun(diags *diag.Diagnostics, at path.Path, run engine.Reference, created bool, status stagedupdate.Status, err error) {
	title := fmt.Sprintf("The staged update run %q ", run)
	approvals := status.Approvals()
	stages := &plain.Section{Unit: "stage"}
	for _, stage := range status.Stages {
		stages.Add(model.Name(stage.Name) + ": " + model.Message(stage.Summary()))
	}
	says := ""
	if message := status.Message(); message != "" {
		says = "The hub says: " + model.Message(message) + "\n\n"
	}
	text := says + plain.Layout(stages)
	timedOut := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	const goesOn = "It goes on by itself; the next refresh tells how far it has come."
	switch phase := status.Phase(); {
	case created && isUnfollowed(err):
		diags.AddAttributeWarning(at, title+"could not be followed", explain(err)+"\n\n"+text+"\n\nIt is written on the hub. "+goesOn)
	case err != nil && !timedOut:
		Error(diags, at, title+"could not be followed", err)
	case phase == stagedupdate.PhaseFailed:
		diags.AddAttributeError(at, title+"has failed", text+"\n\nClusters that it has come to keep what they got. A hub does not take a failed run up again: mend "+
			"what it says, and apply again, which makes a new one.")
	case len(approvals) > 0:
		diags.AddAttributeWarning(at, title+"waits for an approval", text+"\n\nThe action fleet_stage_approval gives it.")
	case timedOut:
		diags.AddAttributeWarning(at, title+"has not ended in time", text+"\n\n"+goesOn)
	}
}
