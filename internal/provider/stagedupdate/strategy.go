// Package stagedupdate implements the resources fleet_staged_update_strategy and fleet_staged_update_run.
package stagedupdate

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identity"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/labelselector"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/object"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
)

// NewStrategy returns the resource fleet_staged_update_strategy.
func NewStrategy() resource.Resource { return object.New(strategyNoun{}) }

// objectName identifies an object with or without a namespace.
type objectName struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
}

func (n objectName) reference() engine.Reference {
	return engine.Reference{Namespace: n.Namespace.ValueString(), Name: n.Name.ValueString()}
}

// title returns the name for people.
func (n objectName) title() string { return types.StringValue(n.reference().String()).String() }

func (n objectName) identity() identity.Namespaced {
	return identity.Namespaced{Namespace: n.Namespace, Name: n.Name}
}

// importNamed imports an object by NAME or NAMESPACE/NAME, or by its identity.
func importNamed(ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse) {
	if !identity.ImportScoped(ctx, request, response) {
		response.Diagnostics.AddError("Invalid import ID", "The ID is NAME, or NAMESPACE/NAME of one in a namespace; it is \""+request.ID+"\".")
	}
}

type strategyNoun struct{}

// strategyModel is the Terraform representation of the resource. It does not embed objectName, because the framework ignores embedded fields of
// unexported types.
type strategyModel struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
	Stages    types.List   `tfsdk:"stages"`
}

func (m strategyModel) objectName() objectName {
	return objectName{Namespace: m.Namespace, Name: m.Name}
}

type stageModel struct {
	Name             string               `tfsdk:"name"`
	LabelSelector    *labelselector.Model `tfsdk:"label_selector"`
	SortingLabelKey  *string              `tfsdk:"sorting_label_key"`
	MaxConcurrency   *string              `tfsdk:"max_concurrency"`
	BeforeStageTasks []taskModel          `tfsdk:"before_stage_tasks"`
	AfterStageTasks  []taskModel          `tfsdk:"after_stage_tasks"`
}

type taskModel struct {
	Type     domain.TaskType `tfsdk:"type"`
	WaitTime *string         `tfsdk:"wait_time"`
}

// expand converts the model to the value of the domain. Everything must be known.
func (m strategyModel) expand(ctx context.Context, diags *diag.Diagnostics) domain.Strategy {
	return domain.Strategy{Stages: convert.All(convert.FromList[stageModel](ctx, m.Stages, diags), func(s stageModel) domain.Stage {
		return domain.Stage{
			Name: s.Name, LabelSelector: s.LabelSelector.Expand(), SortingLabelKey: convert.Value(s.SortingLabelKey),
			MaxConcurrency:   convert.Value(s.MaxConcurrency),
			BeforeStageTasks: convert.Each(s.BeforeStageTasks, taskModel.expand), AfterStageTasks: convert.Each(s.AfterStageTasks, taskModel.expand),
		}
	})}
}

func (m taskModel) expand() domain.Task {
	return domain.Task{Type: m.Type, WaitTime: convert.Value(m.WaitTime)}
}

// set sets the model to a strategy.
func (m *strategyModel) set(ctx context.Context, s domain.Strategy, diags *diag.Diagnostics) {
	m.Stages = convert.List(ctx, stagesAttribute(), convert.All(s.Stages, func(s domain.Stage) stageModel {
		return stageModel{
			Name: s.Name, LabelSelector: labelselector.Flatten(s.LabelSelector), SortingLabelKey: convert.Optional(s.SortingLabelKey),
			MaxConcurrency:   convert.Optional(s.MaxConcurrency),
			BeforeStageTasks: convert.Each(s.BeforeStageTasks, flattenTask), AfterStageTasks: convert.Each(s.AfterStageTasks, flattenTask),
		}
	}), diags)
}

func flattenTask(t domain.Task) taskModel {
	return taskModel{Type: t.Type, WaitTime: convert.Optional(t.WaitTime)}
}

func (strategyNoun) TypeName() string { return "staged_update_strategy" }
func (strategyNoun) Title(m strategyModel) string {
	return "The staged update strategy " + m.objectName().title()
}
func (strategyNoun) At() path.Path                         { return path.Root("name") }
func (strategyNoun) Identity(m strategyModel) any          { return m.objectName().identity() }
func (strategyNoun) IdentitySchema() identityschema.Schema { return identity.ScopedSchema("strategy") }

func (strategyNoun) Import(ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse) {
	importNamed(ctx, request, response)
}

func (strategyNoun) Validate(ctx context.Context, m strategyModel, diags *diag.Diagnostics) {
	strategy := m.expand(ctx, diags)
	convert.Problems(diags, "Invalid strategy", append(domain.Validate(strategy), domain.ValidateUse(strategy)...))
}

func (strategyNoun) Check(fleet engine.Engine) []engine.Limitation { return fleet.CheckStagedUpdates() }

func (strategyNoun) Served(ctx context.Context, fleet engine.Engine, m strategyModel) error {
	return fleet.StagedUpdatesServed(ctx, m.Namespace.ValueString())
}

// Plan checks the strategy.
func (n strategyNoun) Plan(ctx context.Context, p *object.Plan[strategyModel]) {
	p.CheckHub(ctx, n, nil)
}

func (n strategyNoun) Apply(ctx context.Context, c object.Call, m, prior *strategyModel, diags *diag.Diagnostics) (uid string, written bool) {
	var before *engine.UpdateStrategy
	if prior != nil {
		before = &engine.UpdateStrategy{Reference: prior.objectName().reference(), UID: c.UID, Spec: prior.expand(ctx, diags)}
	}
	applied, err := c.Engine.ApplyUpdateStrategy(ctx, engine.UpdateStrategy{Reference: m.objectName().reference(), Spec: m.expand(ctx, diags)}, before)
	if err != nil {
		report.Error(diags, path.Root("name"), n.Title(*m)+" could not be written", err)
	}
	return applied.UID, err == nil
}

func (strategyNoun) Read(ctx context.Context, c object.Call, m *strategyModel, diags *diag.Diagnostics) (uid string, err error) {
	var before *engine.UpdateStrategy
	if !m.Stages.IsNull() {
		before = &engine.UpdateStrategy{UID: c.UID, Spec: m.expand(ctx, diags)}
	}
	found, err := c.Engine.ReadUpdateStrategy(ctx, m.objectName().reference(), before)
	if err == nil {
		written := m.Stages
		m.set(ctx, found.Spec, diags)
		m.Stages = convert.AsWritten(ctx, m.Stages, written)
	}
	return found.UID, err
}

func (strategyNoun) Delete(ctx context.Context, c object.Call, m strategyModel, _ *diag.Diagnostics) error {
	return c.Engine.DeleteUpdateStrategy(ctx, engine.UpdateStrategy{Reference: m.objectName().reference(), UID: c.UID})
}

// Upgraders returns nil: there is no earlier version.
func (strategyNoun) Upgraders(context.Context) map[int64]resource.StateUpgrader { return nil }
