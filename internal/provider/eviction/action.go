// Package eviction is the action fleet_eviction.
package eviction

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

// Action is fleet_eviction.
type Action struct{ session *session.Session }

// New makes the action.
func New() action.Action { return &Action{} }

type model struct {
	PlacementName types.String `tfsdk:"placement_name"`
	ClusterName   types.String `tfsdk:"cluster_name"`
	Timeout       types.String `tfsdk:"timeout"`
}

// defaultTimeout is how long an eviction may take.
const defaultTimeout = 10 * time.Minute

// Metadata names the action.
func (*Action) Metadata(_ context.Context, request action.MetadataRequest, response *action.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_eviction"
}

// Schema describes it.
func (*Action) Schema(_ context.Context, _ action.SchemaRequest, response *action.SchemaResponse) {
	response.Schema = schema.Schema{
		MarkdownDescription: "Removes a placement from a cluster, once, as far as its [`fleet_disruption_budget`](../resources/disruption_budget.md) allows it: KubeFleet's " +
			"`ClusterResourcePlacementEviction`. The action ends when the cluster is clean, and with an error if the hub does not allow it. In the engine " +
			"`kubefleet` only.\n\n" +
			"The scheduler may pick the same cluster again at once, and does so for a placement of type `PickAll`: give the cluster's `fleet_member_cluster` a " +
			"taint first. A placement of type `PickFixed` cannot be evicted.",
		Attributes: map[string]schema.Attribute{
			"placement_name": schema.StringAttribute{Required: true, MarkdownDescription: "Name of the placement, a `fleet_crp`."},
			"cluster_name":   schema.StringAttribute{Required: true, MarkdownDescription: "Name of the member that it is to leave."},
			"timeout": schema.StringAttribute{
				Optional: true, MarkdownDescription: "How long to wait, such as `30m`. The default is 10 minutes.",
				Validators: []validator.String{validate.String("duration", validate.Duration)},
			},
		},
	}
}

// Configure takes the session.
func (a *Action) Configure(_ context.Context, request action.ConfigureRequest, response *action.ConfigureResponse) {
	a.session = session.From(request.ProviderData, &response.Diagnostics)
}

// ModifyPlan refuses an engine that has no evictions.
func (a *Action) ModifyPlan(_ context.Context, _ action.ModifyPlanRequest, response *action.ModifyPlanResponse) {
	if a.session != nil && a.session.Engine != nil {
		report.Limitations(&response.Diagnostics, a.session.Engine.CheckDisruptions())
	}
}

// Invoke evicts.
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
	err := fleet.Evict(ctx, engine.Eviction{
		Placement: data.PlacementName.ValueString(), Cluster: data.ClusterName.ValueString(),
		Progress: func(message string) { response.SendProgress(action.InvokeProgressEvent{Message: message}) },
	})
	if err != nil {
		report.Error(&response.Diagnostics, path.Root("placement_name"), "The placement "+data.PlacementName.String()+" was not evicted from "+
			data.ClusterName.String(), err)
	}
}
