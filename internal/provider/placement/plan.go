package placement

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/yamltext"
)

// Plan checks the clusters and reports what an apply would do; prior is nil for a create. The findings appear in diagnostics and in planned_changes. Other
// attributes do not show them, because the clusters can change between plan and apply, and the apply must return the planned values. In addition, phase and
// problems become unknown if the apply has something to do.
func (m Model) Plan(
	ctx context.Context, shared *session.Session, prior *Model, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse,
) {
	m.planDigests(ctx, prior, response)
	if m.PlannedChanges.IsUnknown() {
		setChanges(ctx, "", response)
	}
	writeOnly, writeOnlyKnown := m.writeOnlyManifests(ctx, request.Config, &response.Diagnostics)
	if shared != nil && !m.isUnnamed() {
		if m.rejectClash(shared, prior, request, response) {
			return
		}
		m.recordConfiguration(ctx, shared, prior, writeOnly, request, response)
	}
	before, isApply := recallApplied(ctx, &response.Diagnostics)
	var agreed agreement
	if prior != nil && m.requireReplace(shared, *prior, response) {
		agreed = m.planForcedReplacement(ctx, shared, *prior, request, response)
		prior = nil
	}
	var replaced *engine.Placement
	removed := "" // the changes that the removal of the replaced placement makes, if Terraform does not show the warning about the removal
	if prior == nil && shared != nil {
		replaced = shared.Replaced(m.key())
	}
	if replaced != nil && agreed.Removal == "" && !isApply {
		agreed, removed = m.planRequestedReplacement(ctx, shared, *replaced, response)
	}
	// derivedAttributes do not count as changes: the framework makes them unknown as soon as the text of the configuration differs, even if plan modifiers then
	// find that the meaning is the same.
	hasChanges := prior == nil || convert.Differs(request.Plan.Raw, request.State.Raw, derivedAttributes...)
	m.keepDerived(ctx, prior, request, response)
	givers := m.givers(ctx, request.Config, &response.Diagnostics)
	if !writeOnlyKnown || !isDecidable(request.Plan.Raw) || shared == nil || shared.Engine == nil {
		if hasChanges {
			m.planUnknown(ctx, shared, agreed, request.Config, response)
		}
		if shared != nil && !m.isUnnamed() {
			m.planTakeover(shared, givers, nil, &response.Diagnostics)
		}
		return
	}
	placement, writeOnlyChanged := m.expandWanted(ctx, shared, prior, writeOnly, Recall(ctx, request.Private, &response.Diagnostics), &response.Diagnostics)
	placement.TakesOverFrom = givers
	report.Limitations(&response.Diagnostics, shared.Engine.CheckPlacement(placement))
	if response.Diagnostics.HasError() {
		return
	}
	if isApply { // the apply carries out the earlier plan, so the clusters are not checked again
		shared.RecordAppliedPlan(placement.String())
		m.storeAgreement(ctx, before, request.Config, response)
		return
	}
	options := engine.PreviewOptions{
		// The replaced placement exists, and is removed before the new one is created.
		Create: prior == nil && replaced == nil, Replaces: replaced, Run: shared.Replacement(m.key()), World: shared.World(),
		Expected: readExpectedPreview(ctx, request.Config, &response.Diagnostics), Takers: shared.Takers(m.key()),
	}
	preview, unfinished, pending := m.preview(ctx, shared, placement, options, hasChanges || writeOnlyChanged, &response.Diagnostics)
	m.planTakeover(shared, givers, preview, &response.Diagnostics)
	m.rejectRenamedGiver(shared, m.formerName(prior), &response.Diagnostics)
	changes := ""
	agreed.Pending, agreed.Apply = pending || writeOnlyChanged, m.expectUnchecked(shared)
	if preview != nil {
		agreed.Apply, agreed.Kinds = engine.Expect(preview).Salted().String(), formatKinds(preview)
		m.planGiving(shared, preview, options.Takers, false, hasChanges || writeOnlyChanged, &response.Diagnostics)
		changes = m.review(ctx, shared, placement, preview, unfinished, hasChanges || writeOnlyChanged, &response.Diagnostics)
	}
	if agreed.Pending && plansChanges(ctx) {
		agreed.Changes = cmp.Or(strings.Trim(removed+"\n"+changes, "\n"), report.NoChange(preview))
	}
	m.storeAgreement(ctx, agreed, request.Config, response)
}

// expandWanted returns the desired placement. It adds an error for a change that the engine does not allow. writeOnlyChanged reports whether the
// write-only manifests differ from those of the last apply.
func (m Model) expandWanted(
	ctx context.Context, shared *session.Session, prior *Model, writeOnly map[string]string, known Memory, diags *diag.Diagnostics,
) (placement engine.Placement, writeOnlyChanged bool) {
	if prior == nil {
		known.Status = nil // in a replacement, the private state describes the placement that is removed
	}
	placement = m.expandPlacement(ctx, known, diags)
	placement.WriteOnly, placement.FormerName = writeOnly, m.formerName(prior)
	if prior == nil {
		return placement, false
	}
	before, _ := prior.Expand(ctx, diags)
	report.Immutable(diags, "a placement", shared.Engine.CheckChange(before, placement.Spec))
	return placement, known.hasRotated(writeOnly)
}

// rejectClash adds an error if another resource of the run plans or destroys the placement as well, or if one placement gets the former name of another one
// in the same run. It reports whether it added one.
func (m Model) rejectClash(shared *session.Session, prior *Model, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) bool {
	if !shared.ClaimName(m.key(), request.Config.Raw, prior != nil) {
		response.Diagnostics.AddAttributeError(path.Root("name"), "Two resources for one placement", "Another resource of this configuration "+
			"plans the placement "+m.title()+" as well: each would remove what the other places. Give one of them another name.")
		return true
	}
	if shared.IsDestroyed(m.key()) {
		m.addMoveError(&response.Diagnostics)
		return true
	}
	former := m.formerName(prior)
	if former != "" && !canRename(shared) {
		former = ""
	}
	if name, passedOn := shared.PassesOn(former, m.key()); passedOn {
		response.Diagnostics.AddAttributeError(path.Root("name"), "A name passes from one placement to another", fmt.Sprintf("One resource of this configuration "+
			"renames the placement %q, and another one uses that name in the same run. Terraform can apply them in any order. Apply the rename first, and use the "+
			"name for the other placement in a second apply.", name)+report.HoldsUpDestroy)
		return true
	}
	return false
}

// recordConfiguration records the planned type and the defined kinds of the placement, and its prior state, for the plans of other resources.
func (m Model) recordConfiguration(
	ctx context.Context, shared *session.Session, prior *Model, writeOnly map[string]string, request resource.ModifyPlanRequest,
	response *resource.ModifyPlanResponse,
) {
	placementType, _ := m.placementType()
	shared.PlanPlacementType(m.key(), domain.PlacementType(placementType))
	shared.Define(m.key(), slices.Concat(manifest.KindsDefinedBy(yamltext.Texts(m.Manifests)), manifest.KindsDefinedBy(writeOnly)))
	if prior != nil {
		shared.Exists(m.key(), prior.expandRemoved(ctx, request.Private, &response.Diagnostics))
	}
}

const unknownConfiguration = "Part of the configuration is known only after apply, so no cluster was checked."

// planUnknown plans a placement if part of the configuration is unknown: the changes of its apply are unknown, too.
func (m Model) planUnknown(
	ctx context.Context, shared *session.Session, agreed agreement, config tfsdk.Config, response *resource.ModifyPlanResponse,
) {
	agreed.Pending, agreed.Apply = true, m.expectUnchecked(shared)
	if shared != nil && !m.isUnnamed() {
		m.recordPlan(shared, session.PlannedPlacement{Placement: engine.Placement{Reference: m.Reference()}, Missing: unknownConfiguration}, &response.Diagnostics)
	}
	m.storeAgreement(ctx, agreed, config, response)
	bound := "The apply creates objects and updates those that the placement has created. It takes over and deletes nothing: a later plan shows " +
		"takeovers and deletions."
	if agreed.Apply == "" {
		bound = "The apply treats pre-existing objects as when_to_take_over says, and no plan shows them."
	}
	response.Diagnostics.AddAttributeWarning(path.Root("name"), "Placement "+m.title()+": no preview",
		unknownConfiguration+" "+bound)
}

// keepDerived keeps the prior values of the derived attributes if only localAttributes change.
func (m Model) keepDerived(ctx context.Context, prior *Model, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) {
	if prior == nil || convert.Differs(request.Plan.Raw, request.State.Raw, localAttributes...) {
		return
	}
	for name, value := range map[string]any{
		"phase": prior.Phase, "problems": prior.Problems, "planned_changes": prior.PlannedChanges, "manifest_digests": prior.ManifestDigests,
	} {
		if name != "manifest_digests" || !m.isNamespaced() {
			response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root(name), value)...)
		}
	}
}

// storeAgreement passes the agreement to the apply. If the apply has something to do, phase and problems are known only after the apply.
func (m Model) storeAgreement(ctx context.Context, agreed agreement, config tfsdk.Config, response *resource.ModifyPlanResponse) {
	agreed.store(ctx, response.Private, &response.Diagnostics)
	if agreed.Pending {
		response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root("phase"), types.StringUnknown())...)
		response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root("problems"), types.StringUnknown())...)
		setChanges(ctx, agreed.Changes, response)
		planHandOver(ctx, config, response)
	}
}

// requireReplace reports whether the placement replaces the prior one: its name or its type changes, and the engine cannot change that in place.
// requireReplace then marks the changed attribute, so Terraform plans the resource again, and shows only the errors of the second plan. As long as the name is
// unknown, requireReplace returns false.
func (m Model) requireReplace(shared *session.Session, prior Model, response *resource.ModifyPlanResponse) bool {
	switch {
	case !m.hasSameName(prior) && !canRename(shared):
		if !m.Name.Equal(prior.Name) {
			response.RequiresReplace.Append(path.Root("name"))
		}
		return !m.isUnnamed()
	case m.isUnnamed():
		return false
	case m.mustReplaceType(shared, prior):
		response.RequiresReplace.Append(path.Root("policy").AtName("placement_type"))
		return true
	default:
		return false
	}
}

func (m Model) hasSameName(prior Model) bool {
	return m.Name.Equal(prior.Name) && m.Namespace.Equal(prior.Namespace)
}

func (m Model) formerName(prior *Model) string {
	if prior == nil || m.Name.Equal(prior.Name) {
		return ""
	}
	return prior.Name.ValueString()
}

// canRename reports whether the engine renames placements in place. It returns false if the engine is unknown.
func canRename(shared *session.Session) bool {
	return shared != nil && shared.Engine != nil && shared.Engine.CanRename()
}

// mustReplaceType reports whether the placement type is known to change and the engine cannot change it in place. An unknown engine counts as one
// that cannot.
func (m Model) mustReplaceType(shared *session.Session, prior Model) bool {
	was, known := prior.placementType()
	is, alsoKnown := m.placementType()
	if !known || !alsoKnown || was == is {
		return false
	}
	return shared == nil || shared.Engine == nil || !engine.CanChangeType(shared.Engine, domain.PlacementType(was), domain.PlacementType(is))
}

func (m Model) placementType() (placementType string, known bool) {
	if m.Policy.IsUnknown() {
		return "", false
	}
	text, ok := m.Policy.Attributes()["placement_type"].(types.String)
	if !ok || text.IsNull() {
		return string(domain.PickAll), true
	}
	return text.ValueString(), !text.IsUnknown()
}

var (
	// derivedAttributes depend on other attributes or on the clusters.
	derivedAttributes = []string{"phase", "problems", "planned_changes", "manifest_digests"}
	// localAttributes are not sent to a cluster. If only they change, phase and problems become unknown only if the preview finds something to do.
	localAttributes = append([]string{"wait", "timeouts", "on_takeover_conflict", takesOverFrom, takesOverFromRemoved}, derivedAttributes...)
)

// preview checks the clusters. It returns the preview, or nil if there is none. unfinished is what the last apply did not complete. pending reports whether an
// apply has anything to do on a cluster. If the preview is off, pending considers only unfinished.
func (m Model) preview(
	ctx context.Context, shared *session.Session, placement engine.Placement, options engine.PreviewOptions, hasChanges bool, diags *diag.Diagnostics,
) (preview *engine.Preview, unfinished report.Unfinished, pending bool) {
	until, _ := m.expandWait(ctx, diags)
	// With an External strategy, an apply does not roll out the objects, so it has nothing to finish.
	if placement.Prior != nil && placement.Spec.Defaulted().Strategy.Type != domain.ExternalStrategy {
		unfinished = report.NewUnfinished(*placement.Prior, until == WaitUntilAvailable, placement.Prior.Nowhere(placement.Spec.Policy))
	}
	if shared.Preview == session.PreviewOff {
		if hasChanges || unfinished.Any() {
			diags.AddAttributeWarning(path.Root("name"), "Placement "+m.title()+": no preview", unfinished.String()+"The provider argument preview is \"Off\", "+
				"so the plan has checked no cluster. The apply treats pre-existing objects as when_to_take_over says, and no plan shows them.")
		}
		m.recordPlan(shared, session.PlannedPlacement{Placement: placement, Options: options}, diags)
		return nil, unfinished, unfinished.Any()
	}
	options.Unchanged = !hasChanges && !unfinished.Any()
	began := time.Now()
	preview, err := shared.Engine.Preview(ctx, placement, options)
	for err == nil && shared.PlanKinds(ctx, preview, &options.World) {
		preview, err = shared.Engine.Preview(ctx, placement, options)
	}
	if err == nil {
		logPreview(ctx, preview, time.Since(began))
	}
	_, unreachable := errors.AsType[*engine.UnreachableError](err)
	_, exists := errors.AsType[*engine.ExistsError](err)
	_, replaced := errors.AsType[*engine.ReplacedError](err)
	switch {
	case replaced && !hasChanges:
		return nil, unfinished, false // the refresh has warned, and the apply writes nothing
	case exists && shared.Applies():
		return nil, unfinished, true // the apply returns the error: if this plan returned it during an apply, Terraform would drop the deposed object from the state
	case unreachable && shared.Preview == session.PreviewAuto && placement.Prior == nil:
		report.Warning(diags, path.Root("name"), "Placement "+m.title()+": no preview", err)
		m.recordPlan(shared, session.PlannedPlacement{Placement: engine.Placement{Reference: placement.Reference}, Missing: err.Error()}, diags)
		return nil, unfinished, true
	case err != nil:
		report.ErrorOnce(diags, path.Root("name"), "The placement "+m.title()+" cannot be previewed", err, shared.First)
		return nil, unfinished, true
	}
	m.recordPreview(shared, session.PlannedPlacement{Placement: placement, Options: options, Preview: preview},
		*placement.Spec.Defaulted().Strategy.ApplyStrategy, diags)
	if preview.InProgress != nil {
		diags.AddAttributeWarning(path.Root("name"), "Placement "+m.title()+": another operation may be in progress", preview.InProgress.String()+
			". This plan does not include its changes. An apply returns an error while the operation is in progress, and continues its work if it was "+
			"killed.")
	}
	unfinished = unfinished.Since(preview)
	return preview, unfinished, isPending(preview, unfinished)
}

func isPending(preview *engine.Preview, unfinished report.Unfinished) bool {
	return preview.Pending() || unfinished.Any() && !preview.OnHub().Stalled
}

// review warns about the findings of a preview, and returns the text of planned_changes. If the run has an error about a hand-over of the placement,
// review does not warn about objects: the error names them, and nothing is applied.
func (m Model) review(
	ctx context.Context, shared *session.Session, placement engine.Placement, preview *engine.Preview, unfinished report.Unfinished, hasChanges bool, diags *diag.Diagnostics,
) (changes string) {
	refused, pending := shared.AwaitRefusal(ctx, placement.String()), isPending(preview, unfinished)
	plan := report.Plan{
		Strategy: *placement.Spec.Defaulted().Strategy.ApplyStrategy, NamesClusters: placement.Spec.Policy != nil && placement.Spec.Policy.PlacementType == domain.PickFixed, Unfinished: unfinished,
		WantsNone: placement.Spec.Policy.AsksForNone(), Refuse: m.OnTakeoverConflict.ValueString() == string(Error), Shown: pending && plansChanges(ctx), First: shared.First,
		Managed: shared.IsPlanned,
	}
	if placement.Prior == nil { // a create shows all manifest_digests, which name the objects; in an update, Terraform hides the unchanged ones
		plan.Listed = engine.IsFrom(placement.Manifests)
	}
	if !hasChanges && !pending {
		shared.PlansUnchecked(placement.String(), report.Pending(diags, preview, plan))
		return ""
	}
	if shared.Preview == session.PreviewRequired {
		report.UncheckedClusters(diags, preview)
	}
	shown := MaskWriteOnly(preview, placement.WriteOnly)
	if refused {
		return report.Changes(shown, plan)
	}
	changes = report.Preview(diags, shown, plan)
	shared.PlansChange(placement.String(), report.NewTotal(preview, plan))
	shared.RecordPreview(placement.String())
	return changes
}

// recordPreview adapts the preview to the plans made so far in the run, and records it for later ones.
func (m Model) recordPreview(shared *session.Session, planned session.PlannedPlacement, strategy domain.ApplyStrategy, diags *diag.Diagnostics) {
	if removal := shared.RemovalBefore(planned.String()); removal != nil {
		planned.Preview.Recreate(removal)
	}
	shared.Claim(planned.Preview, strategy)
	planned.Preview.FindUnmanaged(shared.Overrides.Has)
	m.recordPlan(shared, planned, diags)
}

// readExpectedPreview returns nil if expected_preview is null or unknown. The attribute is write-only, so only the configuration has it.
func readExpectedPreview(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) *engine.Expectation {
	var digest types.String
	at := path.Root("expected_preview")
	diags.Append(config.GetAttribute(ctx, at, &digest)...)
	if digest.IsNull() || digest.IsUnknown() {
		return nil
	}
	expected, err := engine.ParseExpectation(digest.ValueString())
	if err != nil {
		diags.AddAttributeError(at, "Invalid expected_preview", "The value cannot be used: "+err.Error()+".")
	}
	return expected
}
