// Package eviction implements the action fleet_eviction.
package eviction

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
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/hubaction"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/validate"
)

// New returns the action.
func New() action.Action { return hubaction.New(verb{}) }

type verb struct{}

type model struct {
	PlacementName types.String `tfsdk:"placement_name"`
	ClusterName   types.String `tfsdk:"cluster_name"`
	Timeout       types.String `tfsdk:"timeout"`
}

const defaultTimeout = 10 * time.Minute

func (verb) TypeName() string                              { return "eviction" }
func (verb) Timeout(m model) (types.String, time.Duration) { return m.Timeout, defaultTimeout }
func (verb) Check(fleet engine.Engine) []engine.Limitation { return fleet.CheckDisruptions() }
func (verb) At() path.Path                                 { return path.Root("placement_name") }

func (verb) Served(ctx context.Context, fleet engine.Engine, _ model) error {
	return fleet.DisruptionsServed(ctx)
}

func (verb) Schema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Removes a placement from a cluster once, if its [`fleet_disruption_budget`](../resources/disruption_budget.md) allows " +
			"it: KubeFleet's `ClusterResourcePlacementEviction`. The action waits until the objects are removed from the cluster. If the hub does not " +
			"allow the eviction, the action returns an error. Engine `kubefleet` only.\n\n" +
			"The scheduler can pick the same cluster again immediately, and always does so for a placement of type `PickAll`: add a taint to the " +
			"cluster's `fleet_member_cluster` first. A placement of type `PickFixed` cannot be evicted.",
		Attributes: map[string]schema.Attribute{
			"placement_name": schema.StringAttribute{
				Required: true, MarkdownDescription: "Name of the placement, a `fleet_crp`.", Validators: []validator.String{validate.ObjectName()},
			},
			"cluster_name": schema.StringAttribute{
				Required: true, MarkdownDescription: "Name of the member to evict the placement from.", Validators: []validator.String{validate.ObjectName()},
			},
			"timeout": hubaction.TimeoutAttribute("How long to wait, such as `30m`. The default is 10 minutes."),
		},
	}
}

func (v verb) Do(ctx context.Context, fleet engine.Engine, m model, progress func(string), diags *diag.Diagnostics) {
	err := fleet.Evict(ctx, engine.Eviction{Placement: m.PlacementName.ValueString(), Cluster: m.ClusterName.ValueString(), Progress: progress})
	if err != nil {
		report.Error(diags, v.At(), "The placement "+m.PlacementName.String()+" was not evicted from "+m.ClusterName.String(), err)
	}
}
