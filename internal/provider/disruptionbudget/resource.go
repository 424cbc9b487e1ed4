// Package disruptionbudget implements the resource fleet_disruption_budget.
package disruptionbudget

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/disruption"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identity"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/object"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/validate"
)

// New returns the resource.
func New() resource.Resource { return object.New(noun{}) }

type noun struct{}

type model struct {
	PlacementName  types.String `tfsdk:"placement_name"`
	MaxUnavailable types.String `tfsdk:"max_unavailable"`
	MinAvailable   types.String `tfsdk:"min_available"`
}

func (noun) TypeName() string     { return "disruption_budget" }
func (noun) Title(m model) string { return "The disruption budget " + m.PlacementName.String() }

func (noun) Check(fleet engine.Engine) []engine.Limitation { return fleet.CheckDisruptions() }

func (noun) Served(ctx context.Context, fleet engine.Engine, _ model) error {
	return fleet.DisruptionsServed(ctx)
}

func (noun) Identity() identity.Format {
	return identity.Format{What: "budget", Attribute: "placement_name"}
}

func (noun) Schema(context.Context) schema.Schema {
	bound := func(description string) schema.StringAttribute {
		return schema.StringAttribute{
			Optional: true, Validators: []validator.String{validate.Filled("number of clusters")}, MarkdownDescription: description +
				" A number, or a percentage such as `25%` of the clusters that a `PickN` placement requests, rounded up. Set either `max_unavailable` " +
				"or `min_available`.",
		}
	}
	return schema.Schema{
		Version: 1,
		MarkdownDescription: "Limits the number of clusters that a placement can be evicted from: KubeFleet's " +
			"`ClusterResourcePlacementDisruptionBudget`. It applies only to evictions, such as those of the action " +
			"[`fleet_eviction`](../actions/eviction.md), not to rollouts or changes of the placement. A placement that has failed on a cluster can " +
			"always be evicted there. Engine `kubefleet` only.",
		Attributes: map[string]schema.Attribute{
			"placement_name": schema.StringAttribute{
				Required: true, MarkdownDescription: "Name of the placement, which is also the name of the budget.",
				Validators:    []validator.String{validate.ShortName()},
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"max_unavailable": bound("Maximum number of clusters on which the placement is unavailable. Not valid for a placement of type `PickAll`, " +
				"because `PickAll` requests no number of clusters."),
			"min_available": bound("Minimum number of clusters on which the placement is available. For a placement of type `PickAll`, only a number " +
				"is valid."),
		},
	}
}

// Upgraders returns the upgrader for states of version 0, in which placement_name was called name.
func (n noun) Upgraders(ctx context.Context) map[int64]resource.StateUpgrader {
	return map[int64]resource.StateUpgrader{0: convert.Upgrader(n.Schema(ctx), func(attributes map[string]json.RawMessage) error {
		attributes["placement_name"] = attributes["name"]
		return nil
	})}
}

func (m model) expand() engine.DisruptionBudget {
	return engine.DisruptionBudget{
		Name: m.PlacementName.ValueString(),
		Spec: disruption.Budget{MaxUnavailable: m.MaxUnavailable.ValueString(), MinAvailable: m.MinAvailable.ValueString()},
	}
}

func (noun) Validate(_ context.Context, m model, diags *diag.Diagnostics) {
	if isEmpty(m.MaxUnavailable) || isEmpty(m.MinAvailable) {
		return // the validators of the schema report it
	}
	budget := m.expand().Spec
	convert.Problems(diags, "Invalid budget", append(disruption.Validate(budget), disruption.ValidateUse(budget)...))
}

func isEmpty(in types.String) bool { return !in.IsNull() && in.ValueString() == "" }

// Plan checks the budget.
func (n noun) Plan(ctx context.Context, p *object.Plan[model]) {
	p.CheckHub(ctx, n, func(m model, _ *model) { checkUse(ctx, p.Session, m, &p.Response.Diagnostics) })
}

// checkUse adds an error if the budget blocks every eviction of the planned placement: a hub rejects that budget. If the placement is not planned, checkUse
// checks the existing placement and adds a warning, because the placement may be about to change.
func checkUse(ctx context.Context, shared *session.Session, m model, diags *diag.Diagnostics) {
	policy, planned := shared.PlacementType(m.PlacementName.ValueString())
	if !planned {
		recorded, err := shared.Engine.ReadPlacement(ctx, engine.Placement{Reference: engine.Reference{Name: m.PlacementName.ValueString()}})
		if err != nil || !recorded.Complete {
			return // the placement may not exist yet
		}
		policy = placement.PickAll
		if p := recorded.Spec.Policy; p != nil && p.PlacementType != "" {
			policy = p.PlacementType
		}
	}
	for _, problem := range disruption.Misfit(m.expand().Spec, policy) {
		at, summary := convert.Root(problem.Path), "A budget that blocks every eviction"
		if planned {
			diags.AddAttributeError(at, summary, problem.String()+". A hub rejects such a budget.")
		} else {
			diags.AddAttributeWarning(at, summary, problem.String()+". This is the current placement on the hub, and a hub rejects such a budget. "+
				"If this configuration changes the placement, refer to it (placement_name = fleet_crp.NAME.name), so that Terraform changes it first.")
		}
	}
}

func (n noun) Apply(ctx context.Context, c object.Call, m, prior *model, diags *diag.Diagnostics) (uid string, written bool) {
	var before *engine.DisruptionBudget
	if prior != nil {
		before = new(prior.expand())
		before.UID = c.UID
	}
	applied, err := c.Engine.ApplyDisruptionBudget(ctx, m.expand(), before)
	if err != nil {
		report.Error(diags, path.Root("placement_name"), n.Title(*m)+" could not be written", err)
	}
	return applied.UID, err == nil
}

func (noun) Read(ctx context.Context, c object.Call, m *model, _ *diag.Diagnostics) (uid string, err error) {
	var before *engine.DisruptionBudget
	if !m.MaxUnavailable.IsNull() || !m.MinAvailable.IsNull() {
		before = new(m.expand())
		before.UID = c.UID
	}
	found, err := c.Engine.ReadDisruptionBudget(ctx, m.PlacementName.ValueString(), before)
	if err == nil {
		m.MaxUnavailable, m.MinAvailable = convert.String(found.Spec.MaxUnavailable), convert.String(found.Spec.MinAvailable)
	}
	return found.UID, err
}

func (noun) Delete(ctx context.Context, c object.Call, m model, _ *diag.Diagnostics) error {
	return c.Engine.DeleteDisruptionBudget(ctx, engine.DisruptionBudget{Name: m.PlacementName.ValueString(), UID: c.UID})
}
