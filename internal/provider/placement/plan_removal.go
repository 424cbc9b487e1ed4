package placement

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// uncheckedRemoval is the agreement of a plan that has checked no cluster for the removal.
func (m Model) uncheckedRemoval(shared *session.Session) agreement {
	return agreement{Removal: m.unchecked(shared)}
}

// unchecked returns what an apply or a removal of the placement is held to whose plan has checked no cluster: nothing at all if the user has asked for no
// preview, and no other placement takes objects over from this one, which must not be deleted.
func (m Model) unchecked(shared *session.Session) string {
	if shared != nil && !m.unnamed() && len(shared.Takers(m.key())) > 0 {
		return engine.ExpectNothing().String()
	}
	return unchecked(shared)
}

// unchecked returns the same for a placement that no other one takes objects over from.
func unchecked(shared *session.Session) string {
	if shared != nil && shared.Preview == session.PreviewOff {
		return ""
	}
	return engine.ExpectNothing().String()
}

// planChanged previews the removal of a placement that has to be replaced by this one, and returns what the removal is held to.
func (m Model) planChanged(
	ctx context.Context, shared *session.Session, prior Model, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse,
) agreement {
	why := report.Retyped
	if !m.sameName(prior) {
		why = report.Renamed
	}
	known := Recall(ctx, request.Private, &response.Diagnostics)
	removed := prior.removed(ctx, request.Private, &response.Diagnostics)
	agreed, _ := prior.planRemoval(ctx, shared, removed, known.Awaited, &replacement{m.key(), why}, &response.Diagnostics)
	return agreed
}

// planReplaced previews the removal of the placement that this one replaces, and returns what the removal is held to, and the text of what it changes. It is for
// replacements of which Terraform has planned no change before: a tainted resource, and one that the command line or another resource has replaced.
func (m Model) planReplaced(
	ctx context.Context, shared *session.Session, replaced engine.Placement, response *resource.ModifyPlanResponse,
) (agreed agreement, changes string) {
	if known := Recall(ctx, response.Private, &response.Diagnostics); known.ID == "" { // of a tainted resource, Terraform hands over no private state
		Memory{ID: replaced.ID, Status: replaced.Prior, Key: replaced.Key}.keep(ctx, response.Private, &response.Diagnostics)
	}
	if agreed := recallAgreement(ctx, response.Private, &response.Diagnostics); agreed.Removal != "" {
		return agreement{Removal: agreed.Removal, Open: agreed.Open}, "" // the plan of the change has shown it
	}
	agreed, preview := m.planRemoval(ctx, shared, replaced, nil, &replacement{m.key(), report.Requested}, &response.Diagnostics)
	if preview != nil {
		changes = report.RemovalChanges(preview)
	}
	return agreed, changes
}

// PlanDelete previews what a destroy does, and hands what it shows to the destroy. A destroy that cannot be previewed is a warning: it deletes nothing
// that no plan has shown.
func (m Model) PlanDelete(ctx context.Context, shared *session.Session, private Private, diags *diag.Diagnostics) {
	if shared != nil && !shared.Goes(m.key()) {
		m.moves(diags)
		return
	}
	known := Recall(ctx, private, diags)
	agreed, _ := m.planRemoval(ctx, shared, m.removed(ctx, private, diags), known.Awaited, nil, diags)
	agreed.keep(ctx, private, diags)
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

// planRemoval previews the removal of a placement that is destroyed, where by is nil, or replaced. awaited are the placements that an earlier removal has
// waited for in vain. It returns what the removal is held to, and the preview, which is nil where there is none.
func (m Model) planRemoval(
	ctx context.Context, shared *session.Session, removed engine.Placement, awaited []string, by *replacement, diags *diag.Diagnostics,
) (agreed agreement, preview *engine.Preview) {
	at, title := path.Root("name"), "Placement "+m.title()+": what its removal does is not known"
	if shared == nil || shared.Engine == nil {
		diags.AddAttributeWarning(at, title, "The provider's configuration is known only after apply, so that no cluster was checked. The removal deletes no "+
			"object that no plan has shown.")
		return m.uncheckedRemoval(shared), nil
	}
	if shared.Preview == session.PreviewOff {
		return m.uncheckedRemoval(shared), nil
	}
	removal := shared.Removal(m.key(), awaited)
	options := engine.DeleteOptions{Run: removal, Takers: shared.Takers(m.key())}
	preview, err := shared.Engine.PreviewDelete(ctx, removed, options)
	for err == nil && !removal.Show(ctx, preview) {
		preview, err = shared.Engine.PreviewDelete(ctx, removed, options)
	}
	_, unconfirmed := errors.AsType[*engine.UnconfirmedError](err)
	if _, lossy := errors.AsType[*engine.HandOverError](err); lossy || unconfirmed {
		report.Error(diags, at, "The removal of placement "+m.title()+" cannot be previewed", err)
		return m.uncheckedRemoval(shared), nil
	}
	if _, another := errors.AsType[*engine.ReplacedError](err); another {
		return m.uncheckedRemoval(shared), nil // the refresh has warned, and the destroy returns the error
	}
	if err != nil {
		report.Warning(diags, at, title, err)
		return m.uncheckedRemoval(shared), nil
	}
	m.planGiving(shared, preview, options.Takers, true, true, diags)
	plan := report.Plan{First: shared.First, Freed: removal.Freed()}
	switch {
	case by != nil:
		report.Replacement(diags, preview, plan, by.name, by.why)
		shared.PlanReplacement(by.name, preview, by.why)
	case !shared.AwaitRefusal(ctx, m.key()): // an error about the hand-over names the objects
		report.Removal(diags, preview, plan)
	}
	shared.PlansRemoval(m.key(), report.NewTotal(preview, plan))
	if shared.Preview == session.PreviewRequired {
		report.Unlooked(diags, preview)
	}
	return agreement{Removal: engine.Expect(preview).Salted().String(), Open: strings.Join(openOf(preview), ",")}, preview
}

// openOf names the placements on whose removal deletions of a plan depend, while the plan does not know whether the run removes them.
func openOf(preview *engine.Preview) []string {
	var out []string
	for _, cluster := range preview.Clusters {
		for _, o := range cluster.Objects {
			if o.Contents != nil {
				out = append(out, o.Contents.Open...)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
