package stagedupdate

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identity"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/object"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
)

// NewRun returns the resource fleet_staged_update_run.
func NewRun() resource.Resource { return object.New(runNoun{}) }

const defaultTimeout = 30 * time.Minute

type runNoun struct{}

type runModel struct {
	Namespace                 types.String   `tfsdk:"namespace"`
	Name                      types.String   `tfsdk:"name"`
	PlacementName             types.String   `tfsdk:"placement_name"`
	ResourceSnapshotIndex     types.String   `tfsdk:"resource_snapshot_index"`
	StagedRolloutStrategyName types.String   `tfsdk:"staged_rollout_strategy_name"`
	State                     types.String   `tfsdk:"state"`
	Wait                      types.Object   `tfsdk:"wait"`
	Timeouts                  timeouts.Value `tfsdk:"timeouts"`
	Status                    types.Object   `tfsdk:"status"`
}

type statusModel struct {
	Phase                 domain.Phase      `tfsdk:"phase"`
	ResourceSnapshotIndex string            `tfsdk:"resource_snapshot_index"`
	Conditions            map[string]string `tfsdk:"conditions"`
	Stages                map[string]string `tfsdk:"stages"`
}

func (m runModel) reference() engine.Reference {
	return engine.Reference{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}
}

func (m runModel) expand() engine.UpdateRun {
	return engine.UpdateRun{Reference: m.reference(), Spec: domain.Run{
		PlacementName: m.PlacementName.ValueString(), ResourceSnapshotIndex: m.ResourceSnapshotIndex.ValueString(),
		StrategyName: m.StagedRolloutStrategyName.ValueString(), State: domain.State(m.State.ValueString()),
	}}
}

func (m *runModel) set(r domain.Run) {
	m.PlacementName, m.StagedRolloutStrategyName = types.StringValue(r.PlacementName), types.StringValue(r.StrategyName)
	m.ResourceSnapshotIndex, m.State = convert.String(r.ResourceSnapshotIndex), convert.String(r.State)
}

func (m *runModel) setStatus(ctx context.Context, s domain.Status, diags *diag.Diagnostics) {
	out := &statusModel{
		Phase: s.Phase(), ResourceSnapshotIndex: s.ResourceSnapshotIndex, Conditions: map[string]string{}, Stages: map[string]string{},
	}
	for _, c := range s.Conditions {
		out.Conditions[c.Type] = c.Summary()
	}
	for _, stage := range s.Stages {
		out.Stages[stage.Name] = stage.Summary()
	}
	m.Status = convert.Object(ctx, statusAttribute(), out, diags)
}

func (runNoun) TypeName() string { return "staged_update_run" }
func (runNoun) Title(m runModel) string {
	return fmt.Sprintf("The staged update run %q", m.reference().String())
}
func (runNoun) Identity() identity.Format { return identityOf("run") }

// Upgraders returns the upgrader for states of version 0, in which wait was a bool.
func (n runNoun) Upgraders(ctx context.Context) map[int64]resource.StateUpgrader {
	return map[int64]resource.StateUpgrader{0: convert.Upgrader(n.Schema(ctx), upgradeWait)}
}

// Validate validates nothing: the schema validates each argument.
func (runNoun) Validate(context.Context, runModel, *diag.Diagnostics) {}

func (runNoun) Check(fleet engine.Engine) []engine.Limitation { return fleet.CheckStagedUpdates() }

func (runNoun) Served(ctx context.Context, fleet engine.Engine, m runModel) error {
	return fleet.RequireStagedUpdates(ctx, m.Namespace.ValueString())
}

// Plan plans the status and the replacement of a failed run, and checks the change.
func (n runNoun) Plan(ctx context.Context, p *object.Plan[runModel]) {
	if p.IsDestroy() {
		return
	}
	prior := p.Prior(ctx)
	if prior != nil && prior.hasFailed() {
		p.Response.RequiresReplace.Append(path.Root("status"))
		p.Set(ctx, "status", convert.UnknownObject(statusAttribute()))
		return // Terraform plans the replacement
	}
	if prior != nil && !convert.Differs(p.Request.Plan.Raw, p.Request.State.Raw, notSent...) {
		p.Set(ctx, "status", prior.Status)
		return
	}
	p.CheckHub(ctx, n, func(m runModel, prior *runModel) { checkChange(m, prior, &p.Response.Diagnostics) }, notSent...)
}

// notSent are the attributes that are not sent to the hub. If only these change, the status remains known and an apply writes nothing.
var notSent = []string{"wait", "timeouts", "status"}

func (m runModel) hasFailed() bool {
	phase, ok := m.Status.Attributes()["phase"].(types.String)
	return ok && phase.ValueString() == string(domain.PhaseFailed)
}

func checkChange(m runModel, prior *runModel, diags *diag.Diagnostics) {
	if prior == nil {
		return
	}
	before, after := prior.expand(), m.expand()
	if before.Reference == after.Reference && before.Spec.PlacementName == after.Spec.PlacementName && before.Spec.StrategyName == after.Spec.StrategyName &&
		before.Spec.ResourceSnapshotIndex == after.Spec.ResourceSnapshotIndex {
		convert.Problems(diags, "Change of a run not supported", domain.ValidateChange(before.Spec, after.Spec))
	}
}

func (n runNoun) Apply(ctx context.Context, c object.Call, m, prior *runModel, diags *diag.Diagnostics) (uid string, written bool) {
	if prior != nil && m.expand() == prior.expand() && !m.Status.IsUnknown() {
		return c.UID, true // only attributes in notSent change
	}
	timeout := m.Timeouts.Create
	if prior != nil {
		timeout = m.Timeouts.Update
	}
	limit, d := timeout(ctx, defaultTimeout)
	diags.Append(d...)
	if diags.HasError() {
		return "", false
	}
	runCtx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	run := m.expand()
	run.UID = c.UID
	applied, status, err := c.Engine.ApplyUpdateRun(runCtx, run, engine.RunOptions{
		Create: prior == nil, Wait: m.isFollowing(ctx, diags), Progress: func(message string) { tflog.Info(ctx, message) },
	})
	if status == nil {
		report.Error(diags, path.Root("name"), n.Title(*m)+" could not be written", err)
		return "", false
	}
	m.setStatus(context.WithoutCancel(ctx), *status, diags)
	report.UpdateRun(diags, path.Root("name"), m.reference(), prior == nil, *status, err)
	return applied.UID, true
}

func (runNoun) Read(ctx context.Context, c object.Call, m *runModel, diags *diag.Diagnostics) (uid string, err error) {
	var before *engine.UpdateRun
	if !m.PlacementName.IsNull() {
		before = new(m.expand())
		before.UID = c.UID
	}
	found, status, err := c.Engine.ReadUpdateRun(ctx, m.reference(), before)
	if err == nil {
		m.set(found.Spec)
		m.setStatus(ctx, status, diags)
	}
	return found.UID, err
}

func (runNoun) Delete(ctx context.Context, c object.Call, m runModel, _ *diag.Diagnostics) error {
	return c.Engine.DeleteUpdateRun(ctx, engine.UpdateRun{Reference: m.reference(), UID: c.UID})
}
