package placement

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

const defaultTimeout = 10 * time.Minute

// Create creates a placement. It returns false if nothing was written, so that there is no state to store.
func (m *Model) Create(ctx context.Context, shared *session.Session, private Private, config tfsdk.Config, diags *diag.Diagnostics) bool {
	return m.apply(ctx, shared, newMemory(), nil, private, config, diags)
}

// Update applies the planned changes, or completes an apply that was not completed; prior is the placement in the state. It returns false if the state must
// not change. If the planned phase is known, no cluster needs the change, and only the state changes.
func (m *Model) Update(
	ctx context.Context, shared *session.Session, prior *Model, private Private, config tfsdk.Config, diags *diag.Diagnostics,
) bool {
	if !m.Phase.IsUnknown() {
		dropAgreement(ctx, private, diags)
		return true
	}
	return m.apply(ctx, shared, Recall(ctx, private, diags), prior, private, config, diags)
}

// apply implements Create and Update. prior is nil for a create. known is the memory of the placement. apply returns false if the state must not change.
func (m *Model) apply(
	ctx context.Context, shared *session.Session, known Memory, prior *Model, private Private, config tfsdk.Config, diags *diag.Diagnostics,
) bool {
	create := prior == nil
	// onFailure is the default severity of an incomplete apply. An error on create would taint the placement, and the next apply would remove the workload from
	// every healthy cluster.
	done, onFailure, timeout := "created", Warn, m.Timeouts.Create
	if !create {
		done, onFailure, timeout = "changed", Error, m.Timeouts.Update
	}
	fleet := shared.ReadyToWrite(diags)
	limit, d := timeout(ctx, defaultTimeout)
	diags.Append(d...)
	if diags.HasError() {
		return false
	}
	givers := m.givers(ctx, config, diags)
	end, err := m.takeTurns(ctx, shared, givers)
	if err != nil {
		report.Error(diags, path.Root("name"), "The placement "+m.title()+" could not be "+done, err)
		return false
	}
	defer end()
	applyCtx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	isNewKey := len(known.Key) == 0
	if isNewKey {
		known.Key = engine.NewKey()
	}
	placement := m.expandPlacement(ctx, known, diags)
	placement.KeyIsNew, placement.FormerName, placement.TakesOverFrom = isNewKey, m.formerName(prior), givers
	placement.WriteOnly, _ = m.writeOnlyManifests(ctx, config, diags)
	reviewed := readExpectedPreview(ctx, config, diags)
	// Every plan stores what it shows. If nothing is stored and the preview is not off, the apply takes nothing over and deletes nothing.
	agreed := takeAgreement(ctx, create, private, diags)
	planned := parseExpectation(cmp.Or(agreed.Apply, expectUnchecked(shared)), diags)
	options := engine.ApplyOptions{
		Create: create, Expected: planned.And(reviewed), MayArrive: shared.MayArrive(placement.String()),
		Progress: func(message string, fields map[string]any) { tflog.Info(applyCtx, message, fields) },
	}
	until, failure := m.expandWait(ctx, diags)
	options.WaitUntilAvailable = until == WaitUntilAvailable
	onFailure = cmp.Or(failure, onFailure)
	if diags.HasError() {
		return false
	}
	defer shared.PlacementApplied(placement.String())
	defer shared.ApplyPlacement(placement.String())()
	result, err := fleet.ApplyPlacement(applyCtx, placement, options)
	if result == nil {
		report.Error(diags, path.Root("name"), "The placement "+m.title()+" could not be "+done, err)
		return false
	}
	if m.ManifestDigests.IsUnknown() {
		m.ManifestDigests = m.digests(prior)
	}
	if m.PlannedChanges.IsUnknown() {
		m.PlannedChanges = types.StringNull()
	}
	if create {
		shared.Created(placement.String(), result.Objects)
	}
	known.Status = &result.Status
	known.setWriteOnly(placement.WriteOnly)
	known.Awaited = nil
	m.remember(context.WithoutCancel(ctx), known, private, diags)
	report.Outcome(diags, placement.String(), result, err, report.Asked{
		FailuresAreErrors: onFailure == Error, RefusalsAreErrors: m.OnTakeoverConflict.ValueString() == string(Error),
		Waits: options.WaitUntilAvailable, PreviewShown: reviewed != nil || shared.HasShownPreview(placement.String()), NoCluster: placement.Spec.Policy.AsksForNone(),
		External:       placement.Spec.Defaulted().Strategy.Type == domain.ExternalStrategy,
		ProviderOfKind: agreed.newDefinerFunc(shared, placement.String()), First: shared.FirstInApply,
	})
	return true
}

// expandWait returns the condition that an apply waits for, and the severity of a failure. The severity is "" if the configuration does not set it.
func (m Model) expandWait(ctx context.Context, diags *diag.Diagnostics) (until WaitUntil, onFailure Severity) {
	wait := convert.FromObject[waitModel](ctx, m.Wait, diags)
	if wait == nil {
		return WaitUntilAvailable, ""
	}
	return cmp.Or(convert.Value(wait.Until), WaitUntilAvailable), convert.Value(wait.OnFailure)
}

// Read refreshes the placement. It returns false if the placement is proven not to exist.
func (m *Model) Read(ctx context.Context, shared *session.Session, private Private, diags *diag.Diagnostics) (exists bool) {
	fleet := shared.Ready(diags)
	if diags.HasError() {
		return true
	}
	timeout, d := m.Timeouts.Read(ctx, defaultTimeout)
	diags.Append(d...)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	before := *m
	known := Recall(ctx, private, diags)
	placement := m.expandPlacement(ctx, known, diags)
	recorded, err := fleet.ReadPlacement(ctx, placement)
	switch {
	case errors.Is(err, engine.ErrNotFound):
		return false
	case report.Replaced(diags, path.Root("name"), "The placement "+m.title(), err):
		return true
	case err != nil:
		report.Error(diags, path.Root("name"), "The placement "+m.title()+" could not be read", err)
		return true
	}
	if summary, detail := m.recordedWarning(recorded, known.Status == nil); summary != "" {
		diags.AddAttributeWarning(path.Root("name"), summary, detail)
	}
	report.Withheld(diags, placement.String(), recorded.Withheld)
	for _, cluster := range recorded.UnconnectedClusters {
		if planned, leaves := shared.World().Members[cluster]; !leaves || planned.Want != nil { // otherwise the plan of the member reports it
			report.Unconnected(diags, cluster, m.title())
		}
	}
	if known.Status == nil {
		report.Trusted(diags, m.title(), recorded.Trusted)
	}
	if known.Status != nil {
		report.RefusedSince(diags, placement.String(), *known.Status, recorded.Status)
	}
	// Keep the configured text if the record is equivalent to it.
	if !placement.Same(engine.Placement{Spec: recorded.Spec, Manifests: recorded.Manifests}) {
		m.setSpec(ctx, recorded.Spec, recorded.Manifests, diags)
	}
	m.ManifestDigests = m.digests(&before)
	known.Status = &recorded.Status
	if known.WriteOnlyHash == "" { // the placement was imported
		known.setWriteOnly(recorded.WriteOnly)
	}
	if known.ID == "" {
		known.ID = recorded.ID
	}
	m.remember(ctx, known, private, diags)
	shared.Exists(placement.String(), m.expandPlacement(ctx, known, diags))
	return true
}

// recordedWarning returns the warning about a record that was refreshed or imported. Without a warning, summary is "".
func (m Model) recordedWarning(recorded *engine.Recorded, isImport bool) (summary, detail string) {
	sentence := ""
	if recorded.Warning != "" {
		sentence = strings.TrimSuffix(printable.Line(recorded.Warning), ".") + "."
	}
	switch {
	case recorded.Status.Removing:
		return "The removal of placement " + m.title() + " is not complete",
			strings.TrimSpace(sentence + " If the configuration still has the placement, an apply creates it again.")
	case recorded.Warning == "":
		return "", ""
	case isImport:
		return "The placement " + m.title() + " was not imported completely", sentence
	default:
		return "The status of placement " + m.title() + " could not be refreshed", sentence
	}
}

func (m *Model) remember(ctx context.Context, known Memory, private Private, diags *diag.Diagnostics) {
	m.setStatus(*known.Status)
	known.store(ctx, private, diags)
}

// expandRemoved is expandPlacement for a placement that is removed. Its Prior is not nil, so it does not count as a new placement.
func (m Model) expandRemoved(ctx context.Context, private Private, diags *diag.Diagnostics) engine.Placement {
	out := m.expandPlacement(ctx, Recall(ctx, private, diags), diags)
	if out.Prior == nil {
		out.Prior = &domain.Status{}
	}
	return out
}

// Delete removes the placement. It deletes the objects that the placement created, unless delete_strategy keeps them. Objects that the placement took over
// remain, except with a KubeFleet hub. Delete records an incomplete removal in the private state: the placement exists until the removal is complete.
//
// If the preview is off, no plan decides whether a Namespace or CustomResourceDefinition with objects of other placements remains. The first removal that waits
// in vain for the removal of these placements returns an error. If the next one waits for them in vain again, it keeps the Namespace or
// CustomResourceDefinition.
func (m Model) Delete(ctx context.Context, shared *session.Session, private Private, diags *diag.Diagnostics) {
	fleet := shared.ReadyToWrite(diags)
	timeout, d := m.Timeouts.Delete(ctx, defaultTimeout)
	diags.Append(d...)
	if next, found := shared.Successor(m.key()); found {
		report.Succeeded(diags, m.key(), next.Name, next.Objects)
	}
	if diags.HasError() {
		return
	}
	agreed := takeAgreement(ctx, false, private, diags)
	// Every plan of a removal stores what it shows. If nothing is stored and the preview is not off, the removal deletes nothing.
	planned := parseExpectation(cmp.Or(agreed.Removal, expectUnchecked(shared)), diags)
	if diags.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	shared.AwaitTakers(ctx, planned.Takers())
	end, err := m.takeTurns(ctx, shared, nil)
	if err != nil {
		report.Error(diags, path.Root("name"), "The placement "+m.title()+" could not be removed", err)
		return
	}
	defer end()
	removal := shared.StartRemoval(m.key())
	defer func() { removal.End(diags.HasError()) }()
	removed := m.expandRemoved(ctx, private, diags)
	known := Recall(ctx, private, diags)
	if diags.HasError() {
		return
	}
	result, err := fleet.DeletePlacement(ctx, removed, engine.DeleteOptions{Expected: planned, Run: removal})
	forgetRemoved(removed.Prior, result)
	if err != nil && planned == nil && removal.KeepContainers(known.Awaited) {
		result, err = fleet.DeletePlacement(ctx, removed, engine.DeleteOptions{Run: removal})
		forgetRemoved(removed.Prior, result)
	}
	if result != nil {
		report.LeftBehind(diags, m.key(), result.Warnings)
	}
	if result != nil && err != nil {
		open := removal.Unmet()
		if planned != nil {
			open = agreed.filterOpen(open)
		}
		err = report.StillOccupied(err, open)
		removed.Prior.Removing, known.Status = true, removed.Prior
		known.Awaited = open
		known.store(context.WithoutCancel(ctx), private, diags)
	}
	if err != nil {
		report.Error(diags, path.Root("name"), "The placement "+m.title()+" could not be removed completely", err)
	}
}

// forgetRemoved deletes from a status the clusters from which an incomplete removal has removed the placement: the next operation finds no record there.
func forgetRemoved(status *domain.Status, result *engine.Result) {
	if result == nil {
		return
	}
	for _, cluster := range result.Removed {
		delete(status.Clusters, cluster)
	}
}
