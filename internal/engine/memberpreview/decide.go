package memberpreview

import (
	"context"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// attempts is how often an object is looked at that changes again and again while it is being decided about.
const attempts = 4

// Decide decides about one object that has been read. An apply decides again about one that has changed since; a preview looks again itself
// when a dry run finds that the object has changed.
func (m *Member) Decide(ctx context.Context, o *Object) error {
	for attempt := 1; ; attempt++ {
		preview, err := m.decide(ctx, o)
		if err != nil {
			return err
		}
		if preview.Untried != engine.UntriedRace || attempt == attempts {
			preview.Restart = m.restart(o, preview)
			if preview.Action == takeover.ActionLeaveAlone || preview.Action == takeover.ActionReject && o.Live != nil { // which no mode changes
				preview.Differences = diff.MarkImmutable(o.Desired, o.Live, preview.Differences)
			}
			o.ObjectPreview = o.hide(preview)
			return nil
		}
		if err := m.readAgain(ctx, o); err != nil {
			return err
		}
	}
}

func (m *Member) decide(ctx context.Context, o *Object) (engine.ObjectPreview, error) {
	m.align(o)
	s := m.situation(o)
	if m.reports() {
		return m.report(ctx, o, s)
	}
	if action := s.takeover(); s.local != nil && s.input.ForeignPlacement == "" && m.agreed(s.preview, action) {
		preview := s.decided(takeover.Decision{Action: action})
		preview.Differences = s.local.Differences
		return preview, nil
	}
	if s.input.NeedsComparison() {
		var err error
		if s.input.Comparison, err = m.compare(ctx, o, s.local); err != nil {
			return s.preview, err
		}
	}
	decision := takeover.Decide(s.input)
	if problem := vanishing(o.Live); problem != "" && decision.Action.Writes() && !m.IntoDeleted { // how it differs is of no use to anybody any more
		return s.decided(takeover.Rejected(takeover.ObstacleBeingDeleted, takeover.ReasonManifestApplyFailed, problem)), nil
	}
	switch decision.Action {
	case takeover.ActionCreate:
		return m.dryRun(ctx, o, s.decided(decision), nil)
	case takeover.ActionUpdate:
		preview, err := m.update(ctx, o, s)
		return m.holdUpdate(preview), err
	case takeover.ActionTakeOver, takeover.ActionTakeOverFrom:
		return m.takeOver(ctx, o, s, decision)
	case takeover.ActionLeaveAlone, takeover.ActionReject, takeover.ActionLeaveDrifted, takeover.ActionReport, takeover.ActionNone,
		takeover.ActionReplace, takeover.ActionPrune, takeover.ActionOrphan, takeover.ActionHandOver, takeover.ActionDefer,
		takeover.ActionUnknown: // not takeover.Decide's
	}
	return m.leave(ctx, o, s, decision)
}

// situation is what a decision about an object begins with.
type situation struct {
	// preview has what does not depend on the decision.
	preview engine.ObjectPreview
	input   takeover.Input
	// local is how an object that is not ours differs as far as can be told without the API server; nil for others.
	local *diff.Comparison
}

func (m *Member) situation(o *Object) situation {
	s := situation{preview: o.identity(), input: takeover.Input{Live: o.Live, Strategy: m.Strategy}}
	if o.Live == nil {
		return s
	}
	owner := m.Ownership.Owner(o.Live)
	if owner.Exclusive { // a live placement, KubeFleet or KubeAdmiral
		s.input.ForeignPlacement = owner.String()
	}
	s.input.OwnerReferences = m.Ownership.References(o.Live)
	s.input.Owned = m.Ownership.Owns(o)
	s.preview.Owned = s.input.Owned
	s.preview.ResourceVersion = o.Live.GetResourceVersion()
	if !s.input.Owned {
		s.local = diff.Partial(m.Schema, o.Desired, o.Live)
		more := tool(owner) + secret(o.Live) + secret(o.Desired)
		if m.Given != nil && !m.reports() {
			if s.preview.Given = m.Given(o); s.preview.Given != nil {
				s.input.Given, s.input.ForeignPlacement = true, ""
				more += s.preview.Given.String()
			}
		}
		s.preview.Owner, s.preview.Mark = owner, engine.Mark(o.Live.GetUID(), s.local.Differences, more)
	}
	return s
}

// takeover is how an object becomes the placement's own that it is not.
func (s situation) takeover() takeover.Action {
	if s.input.Given {
		return takeover.ActionTakeOverFrom
	}
	return takeover.ActionTakeOver
}

// tool names the owner of an object if a tool keeps the object as it is, "" otherwise. Other owners are guesses by who wrote last, which change when a
// placement is replaced.
func tool(owner takeover.Owner) string {
	switch owner.Kind {
	case takeover.OwnerHelm, takeover.OwnerArgoCD, takeover.OwnerFlux, takeover.OwnerController:
		return owner.String()
	case takeover.OwnerNone, takeover.OwnerUnrecorded, takeover.OwnerKubectl, takeover.OwnerTerraform, takeover.OwnerApplySet, takeover.OwnerPlacement,
		takeover.OwnerKubeFleet, takeover.OwnerKubeAdmiral:
	}
	return ""
}

// secret returns a hash of the values of a Secret, which differences do not show; "" for other kinds. A mark has 32 bits of it, and is salted where a plan
// stores it; see [engine.Expectation.Salted].
func secret(u *unstructured.Unstructured) string {
	if !manifest.NewObject(u, nil).IsSecret() {
		return ""
	}
	return manifest.Hash(map[string]any{"uid": string(u.GetUID()), "data": u.Object["data"], "stringData": u.Object["stringData"]})
}

// decided is the preview of a decision.
func (s situation) decided(d takeover.Decision) engine.ObjectPreview {
	out := s.preview
	out.Action, out.Obstacle, out.Problem, out.Reason, out.Message = d.Action, d.Obstacle, d.Problem, d.Reason, d.Message()
	return out
}

// takeOver is for an object that the strategy takes over, unless it is not as it was agreed to.
func (m *Member) takeOver(ctx context.Context, o *Object, s situation, decision takeover.Decision) (engine.ObjectPreview, error) {
	contradicts := m.Expected.Contradicts
	if s.input.Given {
		contradicts = m.Expected.ContradictsGiven
	}
	if problem := contradicts(m.Cluster.Name(), o.Key(), s.preview.Mark); problem != "" {
		return m.leave(ctx, o, s, takeover.NotAgreed(problem))
	}
	if preview, isDrifted, err := m.driftedGiven(ctx, o, s, decision); err != nil || isDrifted {
		return preview, err
	}
	known := s.local
	if s.input.Comparison != nil {
		known = s.input.Comparison
	}
	preview := s.decided(decision)
	preview.Differences = known.Differences
	return m.dryRun(ctx, o, preview, known)
}

// driftedGiven returns the preview of an object that another placement hands over. isDrifted reports whether others have changed the object, so that it is not written
// afterwards.
func (m *Member) driftedGiven(
	ctx context.Context, o *Object, s situation, decision takeover.Decision,
) (preview engine.ObjectPreview, isDrifted bool, err error) {
	if !s.input.Given || m.GivenAsPlaced == nil {
		return s.preview, false, nil
	}
	in := s.input
	in.Owned, in.SameManifest = true, m.GivenAsPlaced(o)
	if !in.GatedByDrift() {
		return s.preview, false, nil
	}
	if in.Comparison, err = m.compare(ctx, o, nil); err != nil {
		return s.preview, false, err
	}
	drift := takeover.DecideDrift(in)
	if drift.Obstacle == takeover.ObstacleNone {
		return s.preview, false, nil
	}
	drift.Action = decision.Action
	preview = s.decided(drift)
	preview.Differences, preview.ObservedDrifts = in.Comparison.Differences, in.Comparison.Patches
	return preview, true, nil
}

// leave is for an object that is left as it is. Where the decision needed no comparison KubeFleet makes none, as under Never, but who reads
// the plan wants to know what stands in the way: it is found out, and the status says nothing of it.
func (m *Member) leave(ctx context.Context, o *Object, s situation, decision takeover.Decision) (engine.ObjectPreview, error) {
	preview := s.decided(decision)
	if c := s.input.Comparison; c != nil {
		preview.Differences, preview.ObservedDiffs = c.Differences, c.Patches
		return preview, nil
	}
	if s.local == nil {
		return preview, nil
	}
	preview.Differences = s.local.Differences
	if s.local.Certain() && !s.local.Differs() {
		return preview, nil
	}
	c, err := m.compare(ctx, o, s.local)
	if err == nil && c.Err == nil && !c.Degraded {
		preview.Differences = c.Differences
	}
	return preview, err
}

// update is for an object of the placement's own. While it is up to date nothing has to be asked.
func (m *Member) update(ctx context.Context, o *Object, s situation) (engine.ObjectPreview, error) {
	none := func() engine.ObjectPreview {
		preview := s.decided(takeover.Decision{Action: takeover.ActionNone})
		preview.ObservedDrifts = m.drifts(o, o.Live)
		return preview
	}
	applied, marked := m.Ownership.Applied(o), m.Ownership.Marked(o)
	if s.input.SameManifest = applied; s.input.GatedByDrift() {
		preview, err := m.driftedFrom(ctx, o, s)
		if err != nil || preview.Action != takeover.ActionUpdate {
			return preview, err
		}
		if marked {
			return none(), nil
		}
	}
	if m.Ownership.UpToDate(o) {
		return none(), nil
	}
	local := diff.Partial(m.Schema, o.Desired, o.Live)
	preview := s.decided(takeover.Decision{Action: takeover.ActionUpdate})
	preview.Differences, preview.Mark = local.Differences, engine.MarkFields(local.Differences, secret(o.Desired))
	if !applied || !marked {
		// What is no longer placed is removed, and is no difference to a local comparison.
		local.Doubtful = local.Doubtful || !applied
		return m.dryRun(ctx, o, preview, local)
	}
	// Somebody has changed it since it was applied.
	switch {
	case m.agreed(preview, takeover.ActionUpdate):
		return preview, nil
	case !local.Differs() && (local.Certain() || !m.may(o)):
		return none(), nil
	case !m.may(o):
		preview.Untried = engine.UntriedPermission
		return m.foretell(o, preview), nil
	}
	// The local comparison knows no defaults and no admission: ask the server what the write would change.
	result, err := m.Writer.Write(ctx, o, takeover.ActionUpdate, true)
	if err == nil && diff.Same(result, o.Live) {
		return none(), nil
	}
	if !m.DryRun {
		return preview, m.unavailable(err)
	}
	return m.foresee(ctx, o, preview, result, err)
}

// agreed reports whether an apply does to an object what its plan has shown, and the object has not changed since: the plan has asked the API server
// already. A preview asks again, because it shows what comes of the write.
func (m *Member) agreed(preview engine.ObjectPreview, action takeover.Action) bool {
	return m.Applying && m.Expected.Agreed(m.Cluster.Name(), preview, action)
}

// holdUpdate leaves an object of the placement's own as it is if the plan did not show the update.
func (m *Member) holdUpdate(preview engine.ObjectPreview) engine.ObjectPreview {
	if preview.Action != takeover.ActionUpdate {
		return preview
	}
	if problem := m.Expected.ContradictsUpdate(m.Cluster.Name(), preview.Key(), preview.Mark); problem != "" {
		return situation{preview: preview}.decided(takeover.NotPlanned(problem))
	}
	return preview
}

// driftedFrom compares an object of ours, of which the same content was applied before, with what is there, and leaves it alone if they
// differ. A change of the content closes this gate, as upstream: then the object is written whatever others have made of it.
func (m *Member) driftedFrom(ctx context.Context, o *Object, s situation) (engine.ObjectPreview, error) {
	var err error
	if s.input.Comparison, err = m.compare(ctx, o, nil); err != nil {
		return s.preview, err
	}
	preview := s.decided(takeover.DecideDrift(s.input))
	if preview.Action != takeover.ActionUpdate {
		preview.Differences, preview.ObservedDrifts = s.input.Comparison.Differences, s.input.Comparison.Patches
	}
	return preview, nil
}

// gatedByDrift tells whether drifts matter to what is written.
func (m *Member) gatedByDrift() bool { return m.Strategy.WhenToApply == placement.ApplyIfNotDrifted }

// drifts compares an object that is the placement's own, as it is after an apply, as KubeFleet does with a full comparison: what others have
// added is told, and left. Of an object that is yet to be created a preview does not tell it: the API server allocates addresses and the
// like anew.
func (m *Member) drifts(o *Object, is *unstructured.Unstructured) []placement.PatchDetail {
	if !m.comparesInFull() || is == nil || m.reports() {
		return nil
	}
	return diff.Patches(o.compared(), is)
}

// Written notes what an apply has made of an object.
func (m *Member) Written(o *Object, is *unstructured.Unstructured) {
	o.Live, o.Glimpsed = is, false
	m.align(o)
	o.ObservedDrifts = o.Hidden.Patches(m.drifts(o, is))
}

// hide returns a preview without hidden values.
func (o *Object) hide(preview engine.ObjectPreview) engine.ObjectPreview {
	if o.Hidden.IsEmpty() {
		return preview
	}
	preview.Differences = o.Hidden.Differences(preview.Differences)
	preview.ObservedDiffs, preview.ObservedDrifts = o.Hidden.Patches(preview.ObservedDiffs), o.Hidden.Patches(preview.ObservedDrifts)
	preview.Problem, preview.Message = o.Hidden.Text(preview.Problem), o.Hidden.Text(preview.Message)
	return preview
}

// report is for strategy type ReportDiff. Unlike upstream, nothing is taken ownership of on the way, whatever whenToTakeOver says: removing
// the placement would delete what was only to be reported.
func (m *Member) report(ctx context.Context, o *Object, s situation) (engine.ObjectPreview, error) {
	if s.input.NeedsReport() {
		var err error
		if s.input.Comparison, err = m.compare(ctx, o, s.local); err != nil {
			return s.preview, err
		}
	}
	report := takeover.DecideReport(s.input)
	if o.Live == nil {
		s.input.Comparison = diff.Missing()
	}
	preview := s.reported(report)
	if c := s.input.Comparison; c != nil {
		preview.Differences = c.Differences
		if report.Obstacle == takeover.ObstacleNone {
			preview.ObservedDiffs = c.Patches
		}
	}
	return preview, nil
}

// reported is the preview of a report.
func (s situation) reported(r takeover.Report) engine.ObjectPreview {
	out := s.preview
	out.Action, out.Obstacle, out.Reason, out.Message = takeover.ActionReport, r.Obstacle, r.Reason, r.Message
	if r.Obstacle != takeover.ObstacleNone {
		out.Problem = r.Message
	}
	return out
}

// vanishing says that an object is about to vanish: what is written to it would be lost, and an object that is there already must not be
// recorded as taken over when another one is going to have its name.
func vanishing(live *unstructured.Unstructured) string {
	if live == nil || live.GetDeletionTimestamp() == nil {
		return ""
	}
	problem := "the object on the cluster is being deleted since " + live.GetDeletionTimestamp().UTC().Format(time.RFC3339)
	if finalizers := live.GetFinalizers(); len(finalizers) > 0 {
		problem += " and waits for the finalizers " + strings.Join(finalizers, ", ")
	}
	return problem + "; once it is gone, the next apply places it anew"
}
