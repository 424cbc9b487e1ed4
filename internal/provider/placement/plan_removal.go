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

func (m Model) newUncheckedRemoval(shared *session.Session) agreement {
	return agreement{Removal: m.expectUnchecked(shared)}
}

// expectUnchecked returns the expectation of an apply or a removal whose plan has checked no cluster. It is "", which allows everything, if the user
// turned the preview off and no other placement takes objects over from this one. Objects that another placement takes over must not be deleted.
func (m Model) expectUnchecked(shared *session.Session) string {
	if shared != nil && !m.isUnnamed() && len(shared.Takers(m.key())) > 0 {
		return engine.ExpectNothing().String()
	}
	return expectUnchecked(shared)
}

func expectUnchecked(shared *session.Session) string {
	if shared != nil && shared.Preview == session.PreviewOff {
		return ""
	}
	return engine.ExpectNothing().String()
}

// planForcedReplacement previews the removal of the prior placement, which a change of name or type replaces. It returns the agreement for the
// removal.
func (m Model) planForcedReplacement(
	ctx context.Context, shared *session.Session, prior Model, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse,
) agreement {
	why := report.Retyped
	if !m.hasSameName(prior) {
		why = report.Renamed
	}
	known := Recall(ctx, request.Private, &response.Diagnostics)
	removed := prior.expandRemoved(ctx, request.Private, &response.Diagnostics)
	agreed, _ := prior.planRemoval(ctx, shared, removed, known.Awaited, &replacement{m.key(), why}, &response.Diagnostics)
	return agreed
}

// planRequestedReplacement previews the removal of the placement that this one replaces. It returns the agreement for the removal, and the text of
// the changes. It handles replacements without a planned change: a tainted resource, -replace, and replace_triggered_by.
func (m Model) planRequestedReplacement(
	ctx context.Context, shared *session.Session, replaced engine.Placement, response *resource.ModifyPlanResponse,
) (agreed agreement, changes string) {
	if known := Recall(ctx, response.Private, &response.Diagnostics); known.ID == "" { // Terraform passes no private state for a tainted resource
		Memory{ID: replaced.ID, Status: replaced.Prior, Key: replaced.Key}.store(ctx, response.Private, &response.Diagnostics)
	}
	if agreed := recallAgreement(ctx, response.Private, &response.Diagnostics); agreed.Removal != "" {
		return agreement{Removal: agreed.Removal, Open: agreed.Open}, "" // the plan of the change has shown the removal
	}
	agreed, preview := m.planRemoval(ctx, shared, replaced, nil, &replacement{m.key(), report.Requested}, &response.Diagnostics)
	if preview != nil {
		changes = report.RemovalChanges(preview)
	}
	return agreed, changes
}

// PlanDelete previews a destroy, and passes its agreement to the destroy. If the preview fails, the destroy deletes no object.
func (m Model) PlanDelete(ctx context.Context, shared *session.Session, private Private, diags *diag.Diagnostics) {
	if shared != nil && !shared.MarkDestroyed(m.key()) {
		m.addMoveError(diags)
		return
	}
	known := Recall(ctx, private, diags)
	agreed, _ := m.planRemoval(ctx, shared, m.expandRemoved(ctx, private, diags), known.Awaited, nil, diags)
	agreed.store(ctx, private, diags)
}

// addMoveError adds an error about a placement that is destroyed at one address and created at another. Terraform runs the two in any order, and both
// orders delete the workload.
func (m Model) addMoveError(diags *diag.Diagnostics) {
	diags.AddAttributeError(path.Root("name"), "The placement "+m.title()+" would be destroyed and created in one run", "The state has it at an "+
		"address that is no longer in the configuration, and another resource of this configuration places it: its objects could be deleted from all "+
		"clusters. If the resource has a new address, add moved { from = ..., to = ... }, or use \"terraform state mv\" if the new address is taken, "+
		"for example because the indexes of count shift. If both addresses had the placement, remove the old one from the state: \"terraform state "+
		"rm\"."+report.HoldsUpDestroy)
}

type replacement struct {
	name string
	why  report.Replaces
}

// planRemoval previews the removal of a placement that is destroyed or replaced. by describes the replacement, and is nil if the placement is destroyed.
// awaited is [Memory.Awaited]. planRemoval returns the agreement for the removal, and the preview, or nil if there is none.
func (m Model) planRemoval(
	ctx context.Context, shared *session.Session, removed engine.Placement, awaited []string, by *replacement, diags *diag.Diagnostics,
) (agreed agreement, preview *engine.Preview) {
	at, title := path.Root("name"), "Placement "+m.title()+": the effect of its removal is unknown"
	if shared == nil || shared.Engine == nil {
		diags.AddAttributeWarning(at, title, "The provider's configuration is known only after apply, so no cluster was checked. The removal deletes "+
			"no object that no plan has shown.")
		return m.newUncheckedRemoval(shared), nil
	}
	if shared.Preview == session.PreviewOff {
		return m.newUncheckedRemoval(shared), nil
	}
	removal := shared.Removal(m.key(), awaited)
	if by != nil {
		removal = shared.Replacement(m.key())
	}
	options := engine.DeleteOptions{Run: removal, Takers: shared.Takers(m.key())}
	preview, err := shared.Engine.PreviewDelete(ctx, removed, options)
	for err == nil && !removal.Show(ctx, preview) {
		preview, err = shared.Engine.PreviewDelete(ctx, removed, options)
	}
	_, unconfirmed := errors.AsType[*engine.UnconfirmedError](err)
	if _, handOverFailed := errors.AsType[*engine.HandOverError](err); handOverFailed || unconfirmed {
		report.Error(diags, at, "The removal of placement "+m.title()+" cannot be previewed", err)
		return m.newUncheckedRemoval(shared), nil
	}
	if _, isReplaced := errors.AsType[*engine.ReplacedError](err); isReplaced {
		return m.newUncheckedRemoval(shared), nil // the refresh has warned, and the destroy returns the error
	}
	if err != nil {
		report.Warning(diags, at, title, err)
		return m.newUncheckedRemoval(shared), nil
	}
	m.planGiving(shared, preview, options.Takers, true, true, diags)
	plan := report.Plan{First: shared.First, Freed: removal.Freed()}
	switch {
	case by != nil:
		report.Replacement(diags, preview, plan, by.name, by.why)
		shared.PlanReplacement(by.name, session.PlannedRemoval{Placement: removed, Options: options, Preview: preview, Why: by.why})
	case !shared.AwaitRefusal(ctx, m.key()): // otherwise an error about the hand-over names the objects
		report.Removal(diags, preview, plan)
	}
	shared.PlansRemoval(m.key(), report.NewTotal(preview, plan))
	if shared.Preview == session.PreviewRequired {
		report.UncheckedClusters(diags, preview)
	}
	return agreement{Removal: engine.Expect(preview).Salted().String(), Open: strings.Join(listOpen(preview), ",")}, preview
}

func listOpen(preview *engine.Preview) []string {
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
