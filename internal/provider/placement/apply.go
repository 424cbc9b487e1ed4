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

// defaultTimeout is how long an operation may take.
const defaultTimeout = 10 * time.Minute

// Create places a placement that is new. It returns false if nothing was done, so that there is no state.
func (m *Model) Create(ctx context.Context, shared *session.Session, private Private, config tfsdk.Config, diags *diag.Diagnostics) bool {
	return m.apply(ctx, shared, newMemory(), nil, private, config, diags)
}

// Update makes the placement what the plan says, or goes on with one that was not completed; prior is the placement as it was. It returns false if nothing
// was done. A planned status that is known says that no cluster has to hear of the change.
func (m *Model) Update(
	ctx context.Context, shared *session.Session, prior *Model, private Private, config tfsdk.Config, diags *diag.Diagnostics,
) bool {
	if !m.Phase.IsUnknown() {
		dropAgreement(ctx, private, diags)
		return true
	}
	return m.apply(ctx, shared, Recall(ctx, private, diags), prior, private, config, diags)
}

// apply carries out a plan, puts the status into the model and keeps what is to be remembered; prior is nil for a placement that is created.
func (m *Model) apply(
	ctx context.Context, shared *session.Session, known Memory, prior *Model, private Private, config tfsdk.Config, diags *diag.Diagnostics,
) bool {
	create := prior == nil
	// What an apply that is not completed is if the configuration does not say. On create an error would taint the placement, and the next
	// apply would remove the workload from every healthy cluster.
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
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	signs := len(known.Key) == 0
	if signs {
		known.Key = engine.NewKey()
	}
	wanted := m.placement(ctx, known, diags)
	wanted.KeyIsNew, wanted.FormerName, wanted.TakesOverFrom = signs, m.formerName(prior), givers
	wanted.WriteOnly, _ = m.writeOnlyManifests(ctx, config, diags)
	reviewed := expectation(ctx, config, diags)
	// Every plan stores what it shows. Without that, the apply takes over and deletes nothing.
	agreed := takeAgreement(ctx, create, private, diags)
	planned := expected(cmp.Or(agreed.Apply, unchecked(shared)), diags)
	options := engine.ApplyOptions{
		Create: create, Expected: planned.And(reviewed), MayArrive: shared.MayArrive(wanted.String()),
		Progress: func(message string, fields map[string]any) { tflog.Info(limited, message, fields) },
	}
	until, failure := m.waits(ctx, diags)
	options.WaitUntilAvailable = until == WaitUntilAvailable
	onFailure = cmp.Or(failure, onFailure)
	if diags.HasError() {
		return false
	}
	defer shared.PlacementApplied(wanted.String())
	defer shared.ApplyPlacement(wanted.String())()
	result, err := fleet.ApplyPlacement(limited, wanted, options)
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
		shared.Created(wanted.String(), result.Objects)
	}
	known.Status = &result.Status
	known.setWriteOnly(wanted.WriteOnly)
	known.Awaited = nil
	m.remember(context.WithoutCancel(ctx), known, private, diags)
	report.Outcome(diags, wanted.String(), result, err, report.Asked{
		FailuresAreErrors: onFailure == Error, RefusalsAreErrors: m.OnTakeoverConflict.ValueString() == string(Error),
		Waits: options.WaitUntilAvailable, Foretold: reviewed != nil || shared.Foretold(wanted.String()), NoCluster: wanted.Spec.Policy.AsksForNone(),
		External: wanted.Spec.Defaulted().Strategy.Type == domain.ExternalStrategy,
		Brings:   agreed.bringers(shared, wanted.String()), First: shared.FirstInApply,
	})
	return true
}

// waits says what an apply waits for, and how grave it is if that does not come; nothing for the latter if the configuration does not say.
func (m Model) waits(ctx context.Context, diags *diag.Diagnostics) (until WaitUntil, onFailure Severity) {
	wait := convert.FromObject[waitModel](ctx, m.Wait, diags)
	if wait == nil {
		return WaitUntilAvailable, ""
	}
	return cmp.Or(convert.Value(wait.Until), WaitUntilAvailable), convert.Value(wait.OnFailure)
}

// Read refreshes the placement. It returns false for one that is proven not to exist.
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
	wanted := m.placement(ctx, known, diags)
	recorded, err := fleet.ReadPlacement(ctx, wanted)
	switch {
	case errors.Is(err, engine.ErrNotFound):
		return false
	case report.Replaced(diags, path.Root("name"), "The placement "+m.title(), err):
		return true
	case err != nil:
		report.Error(diags, path.Root("name"), "The placement "+m.title()+" could not be read", err)
		return true
	}
	warning := printable.Line(recorded.Warning)
	switch {
	case recorded.Status.Removing:
		diags.AddAttributeWarning(path.Root("name"), "The removal of placement "+m.title()+" has not come to its end", warning+". An apply of a "+
			"configuration that still has the placement makes it anew.")
	case recorded.Warning != "" && known.Status == nil:
		diags.AddAttributeWarning(path.Root("name"), "The placement "+m.title()+" was not imported as a whole", strings.TrimSuffix(warning, ".")+".")
	case recorded.Warning != "":
		diags.AddAttributeWarning(path.Root("name"), "The status of placement "+m.title()+" could not be refreshed", warning)
	}
	report.Withheld(diags, wanted.String(), recorded.Withheld)
	for _, cluster := range recorded.Forgotten {
		if planned, leaves := shared.World().Members[cluster]; !leaves || planned.Want != nil { // else the plan of the member says so
			report.Unconnected(diags, cluster, m.title())
		}
	}
	if known.Status == nil {
		report.Trusted(diags, m.title(), recorded.Trusted)
	}
	if known.Status != nil {
		report.RefusedSince(diags, wanted.String(), *known.Status, recorded.Status)
	}
	// What the user wrote stays as it is written while it means what is recorded.
	if !wanted.Same(engine.Placement{Spec: recorded.Spec, Manifests: recorded.Manifests}) {
		m.setSpec(ctx, recorded.Spec, recorded.Manifests, diags)
	}
	m.ManifestDigests = m.digests(&before)
	known.Status = &recorded.Status
	if known.WriteOnlyHash == "" { // an import
		known.setWriteOnly(recorded.WriteOnly)
	}
	if known.ID == "" {
		known.ID = recorded.ID
	}
	m.remember(ctx, known, private, diags)
	shared.Exists(wanted.String(), m.placement(ctx, known, diags))
	return true
}

// remember puts the status into the model and keeps what the next operation has to know.
func (m *Model) remember(ctx context.Context, known Memory, private Private, diags *diag.Diagnostics) {
	m.setStatus(*known.Status)
	known.keep(ctx, private, diags)
}

// removed is what an engine is told of a placement that goes. It is never taken for a new one.
func (m Model) removed(ctx context.Context, private Private, diags *diag.Diagnostics) engine.Placement {
	out := m.placement(ctx, Recall(ctx, private, diags), diags)
	if out.Prior == nil {
		out.Prior = &domain.Status{}
	}
	return out
}

// Delete removes what the placement created and gives up what it took over. That it has not come to its end is remembered: the placement is there
// until it has.
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
	// Every plan of a removal stores what it shows. Without that, the removal deletes nothing.
	planned := expected(cmp.Or(agreed.Removal, unchecked(shared)), diags)
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
	removed := m.removed(ctx, private, diags)
	if diags.HasError() {
		return
	}
	result, err := fleet.DeletePlacement(ctx, removed, engine.DeleteOptions{Expected: planned, Run: removal})
	if result != nil {
		report.LeftBehind(diags, m.key(), result.Warnings)
	}
	if result != nil && err != nil {
		open := agreed.stillOpen(removal.Unmet())
		err = report.StillOccupied(err, open)
		known := Recall(ctx, private, diags)
		removed.Prior.Removing, known.Status = true, removed.Prior
		known.Awaited = open
		known.keep(context.WithoutCancel(ctx), private, diags)
	}
	if err != nil {
		report.Error(diags, path.Root("name"), "The placement "+m.title()+" could not be removed completely", err)
	}
}
