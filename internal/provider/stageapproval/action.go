// Package stageapproval implements the action fleet_stage_approval.
package stageapproval

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/enum"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/hubaction"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/validate"
)

// New returns the action.
func New() action.Action { return hubaction.New(verb{}) }

type verb struct{}

type model struct {
	Namespace types.String `tfsdk:"namespace"`
	RunName   types.String `tfsdk:"run_name"`
	StageName types.String `tfsdk:"stage_name"`
	Before    types.Bool   `tfsdk:"before"`
	Message   types.String `tfsdk:"message"`
	Wait      types.Object `tfsdk:"wait"`
	Timeout   types.String `tfsdk:"timeout"`
}

type waitUntil string

const (
	untilSucceeded waitUntil = "Succeeded"
	untilApproved  waitUntil = "Approved"
)

// Values returns the values in the order in which they are documented.
func (waitUntil) Values() []string { return []string{string(untilSucceeded), string(untilApproved)} }

type waitModel struct {
	Until *waitUntil `tfsdk:"until"`
}

func (m model) isFollowing(ctx context.Context, diags *diag.Diagnostics) bool {
	wait := convert.FromObject[waitModel](ctx, m.Wait, diags)
	return wait == nil || convert.Value(wait.Until) != untilApproved
}

const defaultTimeout = 30 * time.Minute

func (verb) TypeName() string                              { return "stage_approval" }
func (verb) Timeout(m model) (types.String, time.Duration) { return m.Timeout, defaultTimeout }
func (verb) Check(fleet engine.Engine) []engine.Limitation { return fleet.CheckStagedUpdates() }
func (verb) At() path.Path                                 { return path.Root("run_name") }

func (verb) Served(ctx context.Context, fleet engine.Engine, m model) error {
	if m.Namespace.IsUnknown() {
		return nil
	}
	return fleet.RequireStagedUpdates(ctx, m.Namespace.ValueString())
}

func (verb) Schema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Gives an approval that a [`fleet_staged_update_run`](../resources/staged_update_run.md) waits for, after a stage or " +
			"before it: the condition `Approved` of KubeFleet's `ClusterApprovalRequest`, or `ApprovalRequest` in a namespace. It cannot be revoked. " +
			"The action then follows the run and prints its progress, until the run has ended or waits for another approval. If the run does not " +
			"request this approval, the action returns an error. Engine `kubefleet` only.",
		Attributes: map[string]schema.Attribute{
			"run_name": schema.StringAttribute{Required: true, MarkdownDescription: "Name of the run.", Validators: []validator.String{validate.ObjectName()}},
			"namespace": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Namespace of a namespaced run.", Validators: []validator.String{validate.Namespace()},
			},
			"stage_name": schema.StringAttribute{
				Required: true, MarkdownDescription: "Name of the stage.",
				Validators: []validator.String{validate.String("name of a stage", stagedupdate.ValidateStageName)},
			},
			"before": schema.BoolAttribute{
				Optional: true, MarkdownDescription: "Whether to give the approval before the stage. The default is `false`: the approval after the " +
					"stage.",
			},
			"message": schema.StringAttribute{Optional: true, MarkdownDescription: "Message of the approval, such as who approved it and why."},
			"wait": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "Condition that the action waits for.",
				Attributes: map[string]schema.Attribute{
					"until": schema.StringAttribute{
						Optional: true, Validators: enum.Validators[waitUntil](),
						MarkdownDescription: "With `Succeeded` (the default), the action follows the run until it has ended or waits for the next approval. With " +
							"`Approved`, the action ends as soon as the approval is given.",
					},
				},
			},
			"timeout": hubaction.TimeoutAttribute("How long to follow the run, such as `2h`. The default is 30 minutes. The run continues after that."),
		},
	}
}

func (v verb) Do(ctx context.Context, fleet engine.Engine, m model, progress func(string), diags *diag.Diagnostics) {
	run := engine.Reference{Namespace: m.Namespace.ValueString(), Name: m.RunName.ValueString()}
	approval := engine.StageApproval{
		Run: run, Stage: m.StageName.ValueString(), Before: m.Before.ValueBool(), Reason: m.Message.ValueString(),
		Wait: m.isFollowing(ctx, diags), Progress: progress,
	}
	status, approved, err := fleet.ApproveStage(ctx, approval)
	if !approved {
		report.Error(diags, path.Root("stage_name"), "The stage "+m.StageName.String()+" of the run "+m.RunName.String()+" was not approved", err)
		return
	}
	if approval.Wait {
		report.UpdateRun(diags, v.At(), run, false, status, err)
	}
}
