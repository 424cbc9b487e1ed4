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

// Plan checks the clusters and reports what an apply would do; prior is nil for a create. Its findings appear only in warnings and in planned_changes: a planned
// value must still hold when it is applied. Besides, phase and problems become unknown if the apply has something to do.
func (m Model) Plan(
	ctx context.Context, shared *session.Session, prior *Model, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse,
) {
	m.planDigests(ctx, prior, response)
	if m.PlannedChanges.IsUnknown() {
		setChanges(ctx, "", response)
	}
	writeOnly, given := m.writeOnlyManifests(ctx, request.Config, &response.Diagnostics)
	if shared != nil && !m.unnamed() {
		if m.clashes(shared, prior, request, response) {
			return
		}
		m.announce(ctx, shared, prior, writeOnly, request, response)
	}
	before, again := plannedBefore(ctx, &response.Diagnostics)
	var agreed agreement
	if prior != nil && m.replaces(shared, *prior, response) {
		agreed = m.planChanged(ctx, shared, *prior, request, response)
		prior = nil
	}
	var replaced *engine.Placement
	removed := "" // what the removal of the replaced one changes, where Terraform shows no warning of it
	if prior == nil && shared != nil {
		replaced = shared.Replaced(m.key())
	}
	if replaced != nil && agreed.Removal == "" && !again {
		agreed, removed = m.planReplaced(ctx, shared, *replaced, response)
	}
	// The framework makes the status unknown as soon as the configuration's text differs, also where plan modifiers then find that it
	// means the same.
	changing := prior == nil || convert.Differs(request.Plan.Raw, request.State.Raw, derived...)
	m.keepDerived(ctx, prior, request, response)
	givers := m.givers(ctx, request.Config, &response.Diagnostics)
	if !given || !decided(request.Plan.Raw) || shared == nil || shared.Engine == nil {
		if changing {
			m.planUnknown(ctx, shared, agreed, request.Config, response)
		}
		if shared != nil && !m.unnamed() {
			m.planTakeover(shared, givers, nil, &response.Diagnostics)
		}
		return
	}
	wanted, rotated := m.wanted(ctx, shared, prior, writeOnly, Recall(ctx, request.Private, &response.Diagnostics), &response.Diagnostics)
	wanted.TakesOverFrom = givers
	report.Limitations(&response.Diagnostics, shared.Engine.CheckPlacement(wanted))
	if response.Diagnostics.HasError() {
		return
	}
	if again { // the apply is held to what was planned then, so that no cluster is checked twice
		shared.Carry(wanted.String())
		m.keepAgreement(ctx, before, request.Config, response)
		return
	}
	options := engine.PreviewOptions{
		// What is replaced is there, and goes before it is made anew.
		Create: prior == nil && replaced == nil, Replaces: replaced, World: shared.World(),
		Expected: expectation(ctx, request.Config, &response.Diagnostics), Takers: shared.Takers(m.key()),
	}
	preview, unfinished, pending := m.preview(ctx, shared, wanted, options, changing || rotated, &response.Diagnostics)
	m.planTakeover(shared, givers, preview, &response.Diagnostics)
	m.refuseRenamedGiver(shared, m.formerName(prior), &response.Diagnostics)
	changes := ""
	agreed.Pending, agreed.Apply = pending || rotated, m.unchecked(shared)
	if preview != nil {
		agreed.Apply, agreed.Kinds = engine.Expect(preview).Salted().String(), kindsOf(preview)
		m.planGiving(shared, preview, options.Takers, false, changing || rotated, &response.Diagnostics)
		changes = m.review(ctx, shared, wanted, preview, unfinished, changing || rotated, &response.Diagnostics)
	}
	if agreed.Pending && plansChanges(ctx) {
		agreed.Changes = cmp.Or(strings.Trim(removed+"\n"+changes, "\n"), report.NoChange(preview))
	}
	m.keepAgreement(ctx, agreed, request.Config, response)
}

// wanted returns the placement as it is to be. It adds an error for a change that the engine does not allow. rotated reports whether the write-only manifests
// differ from those of the last apply.
func (m Model) wanted(
	ctx context.Context, shared *session.Session, prior *Model, writeOnly map[string]string, known Memory, diags *diag.Diagnostics,
) (wanted engine.Placement, rotated bool) {
	if prior == nil {
		known.Status = nil // of a replacement, the private state tells of the placement that goes
	}
	wanted = m.placement(ctx, known, diags)
	wanted.WriteOnly, wanted.FormerName = writeOnly, m.formerName(prior)
	if prior == nil {
		return wanted, false
	}
	before, _ := prior.Expand(ctx, diags)
	report.Immutable(diags, "a placement", shared.Engine.CheckChange(before, wanted.Spec))
	return wanted, known.rotated(writeOnly)
}

// clashes reports whether another resource of the run plans or destroys the placement as well, which is an error.
func (m Model) clashes(shared *session.Session, prior *Model, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) bool {
	if !shared.Alone(m.key(), request.Config.Raw, prior != nil) {
		response.Diagnostics.AddAttributeError(path.Root("name"), "Two resources for one placement", "Another resource of this configuration "+
			"plans the placement "+m.title()+" as well: each would remove what the other places. Give one of them another name.")
		return true
	}
	if shared.IsGoing(m.key()) {
		m.moves(&response.Diagnostics)
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

// announce records for the rest of the run what is planned under the name, and what the state has under it.
func (m Model) announce(
	ctx context.Context, shared *session.Session, prior *Model, writeOnly map[string]string, request resource.ModifyPlanRequest,
	response *resource.ModifyPlanResponse,
) {
	placementType, _ := m.placementType()
	shared.PlanPlacementType(m.key(), domain.PlacementType(placementType))
	shared.Define(m.key(), slices.Concat(manifest.KindsDefinedBy(yamltext.Texts(m.Manifests)), manifest.KindsDefinedBy(writeOnly)))
	if prior != nil {
		shared.Exists(m.key(), prior.removed(ctx, request.Private, &response.Diagnostics))
	}
}

const unknownConfiguration = "Part of the configuration is known only after apply, so that no cluster was checked."

// planUnknown plans a placement of which parts are known only after apply: what the apply will find to do is not known either.
func (m Model) planUnknown(
	ctx context.Context, shared *session.Session, agreed agreement, config tfsdk.Config, response *resource.ModifyPlanResponse,
) {
	agreed.Pending, agreed.Apply = true, m.unchecked(shared)
	if shared != nil && !m.unnamed() {
		m.plans(shared, session.PlannedPlacement{Placement: engine.Placement{Reference: m.Reference()}, Missing: unknownConfiguration}, &response.Diagnostics)
	}
	m.keepAgreement(ctx, agreed, config, response)
	bound := "The apply creates objects and updates those that the placement has created. It takes over and deletes nothing: a later plan shows that."
	if agreed.Apply == "" {
		bound = "The apply treats pre-existing objects as when_to_take_over says, and no plan shows them."
	}
	response.Diagnostics.AddAttributeWarning(path.Root("name"), "Placement "+m.title()+": no preview",
		unknownConfiguration+" "+bound)
}

// keepDerived plans no other values for the attributes that follow from others, if nothing changes that they depend on.
func (m Model) keepDerived(ctx context.Context, prior *Model, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) {
	if prior == nil || convert.Differs(request.Plan.Raw, request.State.Raw, onlyOurs...) {
		return
	}
	for name, value := range map[string]any{
		"phase": prior.Phase, "problems": prior.Problems, "planned_changes": prior.PlannedChanges, "manifest_digests": prior.ManifestDigests,
	} {
		if name != "manifest_digests" || !m.namespaced() {
			response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root(name), value)...)
		}
	}
}

// keepAgreement hands the agreement to the apply. If an apply has something to do, the status is known only after it.
func (m Model) keepAgreement(ctx context.Context, agreed agreement, config tfsdk.Config, response *resource.ModifyPlanResponse) {
	agreed.keep(ctx, response.Private, &response.Diagnostics)
	if agreed.Pending {
		response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root("phase"), types.StringUnknown())...)
		response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root("problems"), types.StringUnknown())...)
		setChanges(ctx, agreed.Changes, response)
		planHandOver(ctx, config, response)
	}
}

// replaces reports whether the placement replaces the prior one: it has another name or another type, and the engine cannot change that in place. Terraform
// then plans again, and shows only the errors of that plan.
func (m Model) replaces(shared *session.Session, prior Model, response *resource.ModifyPlanResponse) bool {
	switch {
	case !m.sameName(prior) && !canRename(shared):
		if !m.Name.Equal(prior.Name) {
			response.RequiresReplace.Append(path.Root("name"))
		}
		return !m.unnamed()
	case m.unnamed():
		return false
	case m.mustReplace(shared, prior):
		response.RequiresReplace.Append(path.Root("policy").AtName("placement_type"))
		return true
	default:
		return false
	}
}

func (m Model) sameName(prior Model) bool {
	return m.Name.Equal(prior.Name) && m.Namespace.Equal(prior.Namespace)
}

// formerName returns the name of the placement as it was, if it is to have another one; "" otherwise.
func (m Model) formerName(prior *Model) string {
	if prior == nil || m.Name.Equal(prior.Name) {
		return ""
	}
	return prior.Name.ValueString()
}

// canRename reports whether the engine renames a placement in place. An engine that is not known yet counts as one that does not.
func canRename(shared *session.Session) bool {
	return shared != nil && shared.Engine != nil && shared.Engine.CanRename()
}

// mustReplace reports whether the placement type is known to change, and the engine cannot change it in place. An engine that is not known yet counts as
// one that cannot.
func (m Model) mustReplace(shared *session.Session, prior Model) bool {
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
	// derived are the attributes that follow from others, or from the clusters.
	derived = []string{"phase", "problems", "planned_changes", "manifest_digests"}
	// onlyOurs are the attributes that no cluster is told of: a change of these alone writes nothing.
	onlyOurs = append([]string{"wait", "timeouts", "on_takeover_conflict", takesOverFrom, takesOverFromRemoved}, derived...)
)

// preview checks the clusters. It returns what it has found, nil for nothing, what the last apply has left to do, and whether an apply has anything to do.
func (m Model) preview(
	ctx context.Context, shared *session.Session, wanted engine.Placement, options engine.PreviewOptions, changing bool, diags *diag.Diagnostics,
) (preview *engine.Preview, unfinished report.Unfinished, pending bool) {
	until, _ := m.waits(ctx, diags)
	if wanted.Prior != nil && wanted.Spec.Defaulted().Strategy.Type != domain.ExternalStrategy { // what an apply does not do it does not finish
		unfinished = report.NewUnfinished(*wanted.Prior, until == WaitUntilAvailable, wanted.Prior.Nowhere(wanted.Spec.Policy))
	}
	if shared.Preview == session.PreviewOff {
		if changing || unfinished.Any() {
			diags.AddAttributeWarning(path.Root("name"), "Placement "+m.title()+": no preview", unfinished.String()+"The provider argument preview is \"Off\", "+
				"so the plan has checked no cluster. The apply treats pre-existing objects as when_to_take_over says, and no plan shows them.")
		}
		m.plans(shared, session.PlannedPlacement{Placement: wanted, Options: options}, diags)
		return nil, unfinished, unfinished.Any()
	}
	options.Standing = !changing && !unfinished.Any()
	began := time.Now()
	preview, err := shared.Engine.Preview(ctx, wanted, options)
	for err == nil && shared.PlanKinds(ctx, preview, &options.World) {
		preview, err = shared.Engine.Preview(ctx, wanted, options)
	}
	if err == nil {
		logPreview(ctx, preview, time.Since(began))
	}
	_, unreachable := errors.AsType[*engine.UnreachableError](err)
	_, exists := errors.AsType[*engine.ExistsError](err)
	_, replaced := errors.AsType[*engine.ReplacedError](err)
	switch {
	case replaced && !changing:
		return nil, unfinished, false // the refresh has warned, and nothing is written
	case exists && shared.Applies():
		return nil, unfinished, true // the apply returns the error: before it, Terraform would drop the deposed object from the state
	case unreachable && shared.Preview == session.PreviewAuto && wanted.Prior == nil:
		report.Warning(diags, path.Root("name"), "Placement "+m.title()+": no preview", err)
		m.plans(shared, session.PlannedPlacement{Placement: engine.Placement{Reference: wanted.Reference}, Missing: err.Error()}, diags)
		return nil, unfinished, true
	case err != nil:
		report.ErrorOnce(diags, path.Root("name"), "The placement "+m.title()+" cannot be previewed", err, shared.First)
		return nil, unfinished, true
	}
	m.include(shared, session.PlannedPlacement{Placement: wanted, Options: options, Preview: preview}, *wanted.Spec.Defaulted().Strategy.ApplyStrategy, diags)
	if preview.UnderWay != nil {
		diags.AddAttributeWarning(path.Root("name"), "Placement "+m.title()+": another operation may be under way", preview.UnderWay.String()+
			". What it changes is not in this plan. An apply ends with an error while it goes on, and takes up what it has left if it was killed.")
	}
	unfinished = unfinished.Since(preview)
	return preview, unfinished, isPending(preview, unfinished)
}

// isPending reports whether an apply has anything to do.
func isPending(preview *engine.Preview, unfinished report.Unfinished) bool {
	return preview.Pending() || unfinished.Any() && !preview.Stalled
}

// review warns of what a preview has found, and returns the text of planned_changes. If the run has an error about a hand-over of the placement, it does not warn of
// objects: the error names them, and nothing is applied.
func (m Model) review(
	ctx context.Context, shared *session.Session, wanted engine.Placement, preview *engine.Preview, unfinished report.Unfinished, changing bool, diags *diag.Diagnostics,
) (changes string) {
	refused, pending := shared.AwaitRefusal(ctx, wanted.String()), isPending(preview, unfinished)
	plan := report.Plan{
		Strategy: *wanted.Spec.Defaulted().Strategy.ApplyStrategy, NamesClusters: wanted.Spec.Policy != nil && wanted.Spec.Policy.PlacementType == domain.PickFixed, Unfinished: unfinished,
		WantsNone: wanted.Spec.Policy.AsksForNone(), Refuse: m.OnTakeoverConflict.ValueString() == string(Error), Shown: pending && plansChanges(ctx), First: shared.First,
		Managed: shared.IsPlanned,
	}
	if wanted.Prior == nil { // of an update, Terraform hides the digests that stay
		plan.Listed = engine.IsFrom(wanted.Manifests)
	}
	if !changing && !pending {
		shared.PlansUnchecked(wanted.String(), report.Standing(diags, preview, plan))
		return ""
	}
	if shared.Preview == session.PreviewRequired {
		report.Unlooked(diags, preview)
	}
	shown := MaskWriteOnly(preview, wanted.WriteOnly)
	if refused {
		return report.Changes(shown, plan)
	}
	changes = report.Preview(diags, shown, plan)
	shared.PlansChange(wanted.String(), report.NewTotal(preview, plan))
	shared.Foretell(wanted.String())
	return changes
}

// include makes the preview agree with what the run plans besides, and records it for the rest of the run.
func (m Model) include(shared *session.Session, planned session.PlannedPlacement, strategy domain.ApplyStrategy, diags *diag.Diagnostics) {
	if removal := shared.RemovalBefore(planned.String()); removal != nil {
		planned.Preview.Recreate(removal)
	}
	shared.Claim(planned.Preview, strategy)
	shared.FindUnmanaged(planned.Preview)
	m.plans(shared, planned, diags)
}

// expectation reads the preview that the user agreed to; nil for none. It is write-only, so that only the configuration has it.
func expectation(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) *engine.Expectation {
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
