package placement

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// defaultTimeout is how long an operation may take.
const defaultTimeout = 10 * time.Minute

// placement is what an engine is told of a placement; prior is nil for one that is new.
func (m Model) placement(ctx context.Context, prior *Model, diags *diag.Diagnostics) engine.Placement {
	out := engine.Placement{Reference: engine.Reference{Name: m.Name.ValueString()}}
	out.Spec, out.Manifests = m.Expand(ctx, diags)
	if prior != nil {
		out.Prior = prior.status(ctx, diags)
	}
	return out
}

// Apply makes the placement what the plan says, or goes on with one that was not completed; prior is nil for a create. It puts the status into
// the model. It returns false if nothing was done, so that there is no other state than before.
func (m *Model) Apply(ctx context.Context, shared *session.Session, prior *Model, config tfsdk.Config, diags *diag.Diagnostics) bool {
	// What an apply that is not completed is if the configuration does not say. On create an error would taint the placement, and the next
	// apply would remove the workload from every healthy cluster.
	done, onFailure, timeout := "created", Warn, m.Timeouts.Create
	if prior != nil {
		done, onFailure, timeout = "changed", Error, m.Timeouts.Update
	}
	fleet := shared.ReadyToWrite(diags)
	limit, d := timeout(ctx, defaultTimeout)
	diags.Append(d...)
	if diags.HasError() {
		return false
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	wanted := m.placement(ctx, prior, diags)
	options := engine.ApplyOptions{
		Create: prior == nil, WaitUntilAvailable: true, Expected: expected(ctx, shared, wanted.Name, config, diags),
		Progress: func(message string, fields map[string]any) { tflog.Info(limited, message, fields) },
	}
	if wait := convert.FromObject[waitModel](ctx, m.Wait, diags); wait != nil {
		options.WaitUntilAvailable = convert.Value(wait.Until) != WaitUntilApplied
		if wait.OnFailure != nil {
			onFailure = *wait.OnFailure
		}
	}
	if diags.HasError() {
		return false
	}
	result, err := fleet.ApplyPlacement(limited, wanted, options)
	if result == nil {
		report.Error(diags, path.Root("name"), "The placement "+m.Name.String()+" could not be "+done, err)
		return false
	}
	m.setStatus(context.WithoutCancel(ctx), result.Status, diags)
	report.Outcome(diags, wanted.Name, result, err, string(onFailure), m.OnTakeoverConflict.ValueString())
	return true
}

// expected is what an apply is held to: the preview that the user agreed to, or else the one that was made right before.
func expected(
	ctx context.Context, shared *session.Session, name string, config tfsdk.Config, diags *diag.Diagnostics,
) *engine.Expectation {
	latest := shared.Expected(name)
	if agreed := expectation(ctx, config, diags); agreed != nil {
		return agreed
	}
	return latest
}

// Read refreshes the placement. It returns false for one that is proven not to exist.
func (m *Model) Read(ctx context.Context, shared *session.Session, diags *diag.Diagnostics) (exists bool) {
	fleet := shared.Ready(diags)
	if diags.HasError() {
		return true
	}
	wanted := m.placement(ctx, m, diags)
	recorded, err := fleet.ReadPlacement(ctx, wanted)
	if errors.Is(err, engine.ErrNotFound) {
		return false
	}
	if err != nil {
		report.Error(diags, path.Root("name"), "The placement "+m.Name.String()+" could not be read", err)
		return true
	}
	if recorded.Warning != "" {
		diags.AddAttributeWarning(path.Root("name"), "The status of placement "+m.Name.String()+" could not be refreshed", recorded.Warning)
	}
	// What the user wrote stays as it is written while it means what is recorded.
	if !wanted.Same(engine.Placement{Spec: recorded.Spec, Manifests: recorded.Manifests}) {
		m.setSpec(ctx, recorded.Spec, recorded.Manifests, diags)
	}
	m.setStatus(ctx, recorded.Status, diags)
	return true
}

// removed is what an engine is told of a placement that goes. It is never taken for a new one.
func (m Model) removed(ctx context.Context, diags *diag.Diagnostics) engine.Placement {
	out := m.placement(ctx, &m, diags)
	if out.Prior == nil {
		out.Prior = &domain.Status{}
	}
	return out
}

// Delete removes what the placement created and gives up what it took over.
func (m Model) Delete(ctx context.Context, shared *session.Session, diags *diag.Diagnostics) {
	fleet := shared.ReadyToWrite(diags)
	timeout, d := m.Timeouts.Delete(ctx, defaultTimeout)
	diags.Append(d...)
	if diags.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	result, err := fleet.DeletePlacement(ctx, m.removed(ctx, diags))
	if result != nil {
		for _, warning := range result.Warnings {
			diags.AddWarning("Placement "+m.Name.String()+": objects were left behind", warning)
		}
	}
	if err != nil {
		report.Error(diags, path.Root("name"), "The placement "+m.Name.String()+" could not be removed completely", err)
	}
}
