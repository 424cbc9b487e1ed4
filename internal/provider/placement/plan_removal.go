package placement

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// unchecked returns what an apply or a removal is held to whose plan has checked no cluster: nothing at all if the user has asked for no preview.
func unchecked(shared *session.Session) string {
	if shared != nil && shared.Preview == session.PreviewOff {
		return ""
	}
	return engine.ExpectNothing().String()
}

// planChanged previews the removal of a placement that has to be replaced by this one, and returns what the removal is held to.
func (m Model) planChanged(
	ctx context.Context, shared *session.Session, prior Model, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse,
) string {
	why := report.Retyped
	if !m.sameName(prior) {
		why = report.Renamed
	}
	return prior.planRemoval(ctx, shared, prior.removed(ctx, request.Private, &response.Diagnostics), &replacement{m.key(), why}, &response.Diagnostics)
}

// planReplaced previews the removal of the placement that this one replaces, and returns what the removal is held to. It is for replacements of which
// Terraform has planned no change before: a tainted resource, and one that the command line or another resource has replaced.
func (m Model) planReplaced(ctx context.Context, shared *session.Session, replaced engine.Placement, response *resource.ModifyPlanResponse) string {
	if known := Recall(ctx, response.Private, &response.Diagnostics); known.ID == "" { // of a tainted resource, Terraform hands over no private state
		Memory{ID: replaced.ID, Status: replaced.Prior, Key: replaced.Key}.keep(ctx, response.Private, &response.Diagnostics)
	}
	if removal := recallAgreement(ctx, response.Private, &response.Diagnostics).Removal; removal != "" {
		return removal // the plan of the change has shown it
	}
	return m.planRemoval(ctx, shared, replaced, &replacement{m.key(), report.Requested}, &response.Diagnostics)
}

// PlanDelete previews what a destroy does, and hands what it shows to the destroy. A destroy that cannot be previewed is a warning: it deletes nothing
// that no plan has shown.
func (m Model) PlanDelete(ctx context.Context, shared *session.Session, private Private, diags *diag.Diagnostics) {
	if shared != nil && !shared.Goes(m.key()) {
		m.moves(diags)
		return
	}
	agreement{Removal: m.planRemoval(ctx, shared, m.removed(ctx, private, diags), nil, diags)}.keep(ctx, private, diags)
}

// moves refuses to destroy at one address what is to be placed at another. Terraform does the two in any order, and the workload goes in both.
func (m Model) moves(diags *diag.Diagnostics) {
	diags.AddAttributeError(path.Root("name"), "The placement "+m.title()+" would be destroyed and made in one run", "One resource of this configuration "+
		"places it, and the state has it at another address that the configuration has no more: its objects could be deleted from all clusters. If the "+
		"resource has another address now, say so: moved { from = ..., to = ... }, or \"terraform state mv\" where the new address is taken, as when the "+
		"indexes of count shift. If both had it, take the old one out of the state: \"terraform state rm\"."+report.HoldsUpDestroy)
}

// replacement is the placement that takes the place of another one, and why it does.
type replacement struct {
	name string
	why  report.Replaces
}

// planRemoval previews the removal of a placement that is destroyed, where by is nil, or replaced. It returns the text of what the removal is held to.
func (m Model) planRemoval(
	ctx context.Context, shared *session.Session, removed engine.Placement, by *replacement, diags *diag.Diagnostics,
) string {
	at, title := path.Root("name"), "Placement "+m.title()+": what its removal does is not known"
	if shared == nil || shared.Engine == nil {
		diags.AddAttributeWarning(at, title, "The provider's configuration is known only after apply, so that no cluster was checked. The removal deletes no "+
			"object that no plan has shown.")
		return unchecked(shared)
	}
	if shared.Preview == session.PreviewOff {
		return unchecked(shared)
	}
	preview, err := shared.Engine.PreviewDelete(ctx, removed, engine.DeleteOptions{First: shared.Going(m.key())})
	if _, another := errors.AsType[*engine.ReplacedError](err); another {
		return unchecked(shared) // the refresh has warned, and the destroy returns the error
	}
	if err != nil {
		report.Warning(diags, at, title, err)
		return unchecked(shared)
	}
	if by == nil {
		report.Removal(diags, preview)
	} else {
		report.Replacement(diags, preview, by.name, by.why)
	}
	if shared.Preview == session.PreviewRequired {
		report.Unlooked(diags, preview)
	}
	return engine.Expect(preview).String()
}
