// Package stageapproval is the action fleet_stage_approval.
package stageapproval

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/validate"
)

var (
	_ action.ActionWithConfigure  = (*Action)(nil)
	_ action.ActionWithModifyPlan = (*Action)(nil)
)

// Action is fleet_stage_approval.
type Action struct{ session *session.Session }

// New makes the action.
func New() action.Action { return &Action{} }

type model struct {
	Namespace types.String `tfsdk:"namespace"`
	RunName   types.String `tfsdk:"run_name"`
	StageName types.String `tfsdk:"stage_name"`
	Before    types.Bool   `tfsdk:"before"`
	Message   types.String `tfsdk:"message"`
	Wait      types.Bool   `tfsdk:"wait"`
	Timeout   types.String `tfsdk:"timeout"`
}

// defaultTimeout is how long a run is followed.
const defaultTimeout = 30 * time.Minute

// Metadata names the action.
func (*Action) Metadata(_ context.Context, request action.MetadataRequest, response *action.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_stage_approval"
}

// Schema describes it.
func (*Action) Schema(_ context.Context, _ action.SchemaRequest, response *action.SchemaResponse) {
	response.Schema = schema.Schema{
		MarkdownDescription: "Gives an approval that a [`fleet_staged_update_run`](../resources/staged_update_run.md) waits for, after a stage or before it: the condition " +
			"`Approved` of KubeFleet's `ClusterApprovalRequest`, or `ApprovalRequest` in a namespace. It cannot be taken back. Then the action follows the run, and " +
			"prints how far it comes, until it has ended or waits for another approval. A run that does not ask for this approval is an error. In the engine " +
			"`kubefleet` only.",
		Attributes: map[string]schema.Attribute{
			"run_name":   schema.StringAttribute{Required: true, MarkdownDescription: "Name of the run."},
			"namespace":  schema.StringAttribute{Optional: true, MarkdownDescription: "Namespace of the run, if it is in one."},
			"stage_name": schema.StringAttribute{Required: true, MarkdownDescription: "Name of the stage."},
			"before": schema.BoolAttribute{
				Optional: true, MarkdownDescription: "Whether the approval is that before the stage. The default is `false`, that after it.",
			},
			"message": schema.StringAttribute{Optional: true, MarkdownDescription: "What is written beside the approval, such as who approved and why."},
			"wait":    schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether the run is followed. The default is `true`."},
			"timeout": schema.StringAttribute{
				Optional: true, MarkdownDescription: "How long to follow it, such as `2h`. The default is 30 minutes. The run goes on after that.",
				Validators: []validator.String{validate.String("duration", validate.Duration)},
			},
		},
	}
}

// Configure takes the session.
func (a *Action) Configure(_ context.Context, request action.ConfigureRequest, response *action.ConfigureResponse) {
	a.session = session.From(request.ProviderData, &response.Diagnostics)
}

// ModifyPlan refuses an engine that has no staged updates.
func (a *Action) ModifyPlan(_ context.Context, _ action.ModifyPlanRequest, response *action.ModifyPlanResponse) {
	if a.session != nil && a.session.Engine != nil {
		report.Limitations(&response.Diagnostics, a.session.Engine.CheckStagedUpdates())
	}
}

// Invoke approves, and follows the run.
func (a *Action) Invoke(ctx context.Context, request action.InvokeRequest, response *action.InvokeResponse) {
	var data model
	response.Diagnostics.Append(request.Config.Get(ctx, &data)...)
	fleet := a.session.ReadyToWrite(&response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	limit := defaultTimeout
	if !data.Timeout.IsNull() {
		limit, _ = time.ParseDuration(data.Timeout.ValueString()) // the validator has parsed it
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	run := engine.Reference{Namespace: data.Namespace.ValueString(), Name: data.RunName.ValueString()}
	approval := engine.StageApproval{
		Run: run, Stage: data.StageName.ValueString(), Before: data.Before.ValueBool(), Reason: data.Message.ValueString(),
		Wait:     data.Wait.IsNull() || data.Wait.ValueBool(),
		Progress: func(message string) { response.SendProgress(action.InvokeProgressEvent{Message: message}) },
	}
	status, approved, err := fleet.ApproveStage(ctx, approval)
	if !approved {
		report.Error(&response.Diagnostics, path.Root("stage_name"), "The stage "+data.StageName.String()+" of the run "+data.RunName.String()+" was not approved", err)
		return
	}
	if approval.Wait {
		report.UpdateRun(&response.Diagnostics, run, status, err)
	}
}
