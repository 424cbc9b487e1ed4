// Package stagedupdate implements the resources fleet_staged_update_strategy and fleet_staged_update_run.
package stagedupdate

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
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

// identityOf returns the format of the identity of an object with or without a namespace.
func identityOf(what string) identity.Format {
	return identity.Format{What: what, Scope: identity.EitherScope, Rule: "The ID is NAME, or NAMESPACE/NAME of one in a namespace"}
}

type strategyNoun struct{}

type strategyModel struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
	Stages    types.List   `tfsdk:"stages"`
}

func (m strategyModel) reference() engine.Reference {
	return engine.Reference{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}
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

// expand requires that everything is known.
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

func (strategyNoun) TypeName() string          { return "staged_update_strategy" }
func (strategyNoun) Identity() identity.Format { return identityOf("strategy") }

func (strategyNoun) Title(m strategyModel) string {
	return fmt.Sprintf("The staged update strategy %q", m.reference().String())
}

func (strategyNoun) Validate(ctx context.Context, m strategyModel, diags *diag.Diagnostics) {
	strategy := m.expand(ctx, diags)
	convert.Problems(diags, "Invalid strategy", append(domain.Validate(strategy), domain.ValidateUse(strategy)...))
}

func (strategyNoun) Check(fleet engine.Engine) []engine.Limitation { return fleet.CheckStagedUpdates() }

func (strategyNoun) Served(ctx context.Context, fleet engine.Engine, m strategyModel) error {
	return fleet.RequireStagedUpdates(ctx, m.Namespace.ValueString())
}

// Plan checks the strategy.
func (n strategyNoun) Plan(ctx context.Context, p *object.Plan[strategyModel]) {
	p.CheckHub(ctx, n, nil)
}

func (n strategyNoun) Apply(ctx context.Context, c object.Call, m, prior *strategyModel, diags *diag.Diagnostics) (uid string, written bool) {
	var before *engine.UpdateStrategy
	if prior != nil {
		before = &engine.UpdateStrategy{Reference: prior.reference(), UID: c.UID, Spec: prior.expand(ctx, diags)}
	}
	applied, err := c.Engine.ApplyUpdateStrategy(ctx, engine.UpdateStrategy{Reference: m.reference(), Spec: m.expand(ctx, diags)}, before)
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
	found, err := c.Engine.ReadUpdateStrategy(ctx, m.reference(), before)
	if err == nil {
		written := m.Stages
		m.set(ctx, found.Spec, diags)
		m.Stages = convert.AsWritten(ctx, m.Stages, written)
	}
	return found.UID, err
}

func (strategyNoun) Delete(ctx context.Context, c object.Call, m strategyModel, _ *diag.Diagnostics) error {
	return c.Engine.DeleteUpdateStrategy(ctx, engine.UpdateStrategy{Reference: m.reference(), UID: c.UID})
}

// Upgraders returns nil: there is no earlier version.
func (strategyNoun) Upgraders(context.Context) map[int64]resource.StateUpgrader { return nil }
