package memberpreview

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// maxAttempts limits how often Decide decides about an object that others keep changing.
const maxAttempts = 4

// Decide decides about one object that has been read, and sets its ObjectPreview. An apply calls Decide again for an object that has changed since the last
// decision. If a dry run of a preview finds that the object has changed, Decide reads the object and decides again, in at most maxAttempts attempts. It
// returns an error only if the cluster is unreachable.
func (m *Member) Decide(ctx context.Context, o *Object) error {
	for attempt := 1; ; attempt++ {
		preview, err := m.decide(ctx, o)
		if errors.Is(err, errDenied) {
			continue // decide without the dry run
		}
		if err != nil {
			return err
		}
		if preview.Untried != engine.UntriedRace || attempt >= maxAttempts {
			preview.Restart = m.restart(o, preview)
			if preview.Action == takeover.ActionLeaveAlone || preview.Action == takeover.ActionReject && o.Live != nil { // objects that remain unchanged
				preview.Differences = diff.MarkImmutable(o.Desired, o.Live, preview.Differences)
			}
			o.ObjectPreview = o.Hide(preview)
			return nil
		}
		if err := m.reread(ctx, o); err != nil {
			return err
		}
	}
}

func (m *Member) decide(ctx context.Context, o *Object) (engine.ObjectPreview, error) {
	m.align(o)
	s := m.situation(o)
	if m.isReportDiff() {
		return m.report(ctx, o, s)
	}
	if action := s.takeover(); s.local != nil && s.input.ForeignPlacement == "" && m.isAgreed(s.preview, action) {
		preview := s.withDecision(takeover.Decision{Action: action})
		preview.Differences = s.local.All()
		return preview, nil
	}
	if s.input.NeedsComparison() {
		var err error
		if s.input.Comparison, err = m.compare(ctx, o, s.local); err != nil {
			return s.preview, err
		}
	}
	decision := takeover.Decide(s.input)
	if problem := deletionProblem(o.Live); problem != "" && decision.Action.Writes() && !m.WritesToTerminating {
		return s.withDecision(takeover.Rejected(takeover.ObstacleBeingDeleted, takeover.ReasonManifestApplyFailed, problem)), nil
	}
	switch decision.Action {
	case takeover.ActionCreate:
		return m.dryRun(ctx, o, s.withDecision(decision), nil)
	case takeover.ActionUpdate:
		preview, err := m.update(ctx, o, s)
		return m.checkPlannedUpdate(o, preview), err
	case takeover.ActionTakeOver, takeover.ActionTakeOverFrom:
		return m.takeOver(ctx, o, s, decision)
	case takeover.ActionLeaveAlone, takeover.ActionReject, takeover.ActionLeaveDrifted, takeover.ActionReport, takeover.ActionNone,
		takeover.ActionReplace, takeover.ActionPrune, takeover.ActionOrphan, takeover.ActionHandOver, takeover.ActionDefer,
		takeover.ActionUnknown: // takeover.Decide returns only the first two of these
	}
	return m.skip(ctx, o, s, decision)
}

// situation is the input of a decision about an object.
type situation struct {
	// preview has the fields that do not depend on the decision.
	preview engine.ObjectPreview
	input   takeover.Input
	// local is the comparison without the API server. It is nil for an object that the placement owns or that does not exist.
	local *diff.Comparison
	// removals are the fields that a takeover removes. If isWhole is false, a dry run can find more; see [Member.removals].
	removals []diff.Difference
	isWhole  bool
}

func (m *Member) situation(o *Object) situation {
	s := situation{preview: o.identity(), input: takeover.Input{Live: o.Live, Strategy: m.Strategy}}
	if o.Live == nil {
		return s
	}
	owner := m.Ownership.Owner(o.Live)
	if owner.Exclusive { // an existing placement, KubeFleet or KubeAdmiral
		s.input.ForeignPlacement = owner.String()
	}
	s.input.OwnerReferences = m.Ownership.References(o.Live)
	s.input.Owned = m.Ownership.Owns(o)
	s.preview.Owned = s.input.Owned
	s.preview.ResourceVersion = o.Live.GetResourceVersion()
	if !s.input.Owned {
		s.local = diff.Partial(m.Schema, o.Desired, o.Live)
		more := toolOwner(owner) + secretHash(o.Live) + secretHash(o.Desired)
		if m.Given != nil && !m.isReportDiff() {
			if s.preview.Given = m.Given(o); s.preview.Given != nil {
				s.input.Given, s.input.ForeignPlacement = true, ""
				more += s.preview.Given.String()
			}
		}
		s.removals, s.isWhole = m.removals(o, s.takeover(), s.local.All())
		if m.Replaces {
			more += ReplacedContent(o.Live)
		}
		s.preview.Owner, s.preview.Mark = owner, engine.Mark(o.Live.GetUID(), slices.Concat(s.local.All(), s.removals), more)
	}
	return s
}

func (s situation) takeover() takeover.Action {
	if s.input.Given {
		return takeover.ActionTakeOverFrom
	}
	return takeover.ActionTakeOver
}

// toolOwner returns the owner of an object if it is a tool or a controller that may revert changes, and "" otherwise. It omits other owners, because they can
// change when a placement is replaced.
func toolOwner(owner takeover.Owner) string {
	switch owner.Kind {
	case takeover.OwnerHelm, takeover.OwnerArgoCD, takeover.OwnerFlux, takeover.OwnerTool, takeover.OwnerController:
		return owner.String()
	case takeover.OwnerNone, takeover.OwnerUnrecorded, takeover.OwnerReleased, takeover.OwnerKubectl, takeover.OwnerTerraform, takeover.OwnerApplySet, takeover.OwnerPlacement,
		takeover.OwnerKubeFleet, takeover.OwnerKubeAdmiral, takeover.OwnerKubernetes:
	}
	return ""
}

// secretHash returns a hash of the values of a Secret, which differences do not show; "" for other kinds. A mark contains only 32 bits of a
// hash over the result, and is salted before a plan stores it; see [engine.Expectation.Salted].
func secretHash(u *unstructured.Unstructured) string {
	if !manifest.NewObject(u, nil).IsSecret() {
		return ""
	}
	return manifest.Hash(map[string]any{"uid": string(u.GetUID()), "data": u.Object["data"], "stringData": u.Object["stringData"]})
}

func (s situation) withDecision(d takeover.Decision) engine.ObjectPreview {
	out := s.preview
	out.Action, out.Obstacle, out.Problem, out.Reason, out.Message = d.Action, d.Obstacle, d.Problem, d.Reason, d.Message()
	return out
}

// takeOver previews the takeover of an object. If the plan did not show the takeover, or showed it for another state of the object, the object is skipped.
func (m *Member) takeOver(ctx context.Context, o *Object, s situation, decision takeover.Decision) (engine.ObjectPreview, error) {
	contradicts := m.Expected.Contradicts
	if s.input.Given {
		contradicts = m.Expected.ContradictsGiven
	}
	if problem := contradicts(m.Cluster.Name(), o.Key(), s.preview.Mark); problem != "" {
		return m.skip(ctx, o, s, takeover.NotAgreed(problem))
	}
	if preview, isDrifted, err := m.previewGivenDrift(ctx, o, s, decision); err != nil || isDrifted {
		return preview, err
	}
	known := s.local
	if s.input.Comparison != nil {
		known = s.input.Comparison
	}
	if len(s.removals) > 0 || !s.isWhole { // a comparison with the placed object does not find the fields in removals
		doubtful := *known
		doubtful.Doubtful, known, s.preview.MayRemove = true, &doubtful, true
	}
	preview := s.withDecision(decision)
	preview.Differences = known.All()
	return m.dryRun(ctx, o, preview, known)
}

// previewGivenDrift previews an object that another placement hands over. If the strategy writes only objects that have not drifted, and the object has
// drifted or could not be compared, it is handed over without a write. Then isDrifted is true; see [Member.GivenAsPlaced].
func (m *Member) previewGivenDrift(
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
	preview = s.withDecision(drift)
	preview.Differences, preview.ObservedDrifts = in.Comparison.All(), in.Comparison.Patches
	return preview, true, nil
}

// skip previews an object that remains unchanged. If the decision needed no comparison, KubeFleet makes none (for example under Never). The
// plan still shows the differences; the status does not.
func (m *Member) skip(ctx context.Context, o *Object, s situation, decision takeover.Decision) (engine.ObjectPreview, error) {
	preview := s.withDecision(decision)
	if c := s.input.Comparison; c != nil {
		preview.Differences, preview.ObservedDiffs = c.All(), c.Patches
		return preview, nil
	}
	if s.local == nil {
		return preview, nil
	}
	preview.Differences = s.local.All()
	if s.local.Certain() && !s.local.Differs() {
		return preview, nil
	}
	c, err := m.compare(ctx, o, s.local)
	if err == nil && c.Err == nil && !c.Degraded {
		preview.Differences = c.All()
	}
	return preview, err
}

// update previews an object that the placement owns, and sets [diff.Difference.Placed] in its differences.
func (m *Member) update(ctx context.Context, o *Object, s situation) (engine.ObjectPreview, error) {
	mark := m.placedMarker(o)
	preview, err := m.previewUpdate(ctx, o, s, mark)
	mark(preview.Differences)
	return preview, err
}

// previewUpdate previews an object that the placement owns. An object that is up to date needs no requests, unless the strategy requires a check for drift.
// markPlaced is the result of [Member.placedMarker].
func (m *Member) previewUpdate(ctx context.Context, o *Object, s situation, markPlaced func([]diff.Difference)) (engine.ObjectPreview, error) {
	none := func() engine.ObjectPreview {
		preview := s.withDecision(takeover.Decision{Action: takeover.ActionNone})
		preview.ObservedDrifts = m.drifts(o, o.Live)
		return preview
	}
	isApplied, isMarked := m.Ownership.Applied(o), m.Ownership.Marked(o)
	if s.input.SameManifest = isApplied; s.input.GatedByDrift() {
		preview, err := m.previewDrift(ctx, o, s)
		if err != nil || preview.Action != takeover.ActionUpdate {
			return preview, err
		}
		if isMarked {
			return none(), nil
		}
	}
	if m.Ownership.UpToDate(o) {
		return none(), nil
	}
	local := diff.Partial(m.Schema, o.Desired, o.Live)
	if m.keepAutoscaled(o, local.Differences) {
		local = diff.Partial(m.Schema, o.Desired, o.Live)
	}
	differences := local.All()
	markPlaced(differences)
	preview := s.withDecision(takeover.Decision{Action: takeover.ActionUpdate})
	preview.Differences, preview.Mark = differences, m.markUpdate(o, differences)
	if !isApplied || !isMarked {
		// A field that is no longer placed is removed, but a local comparison does not find it.
		local.Doubtful = local.Doubtful || !isApplied
		return m.dryRun(ctx, o, preview, local)
	}
	// The object has been changed since it was applied.
	switch {
	case m.isAgreed(preview, takeover.ActionUpdate):
		return preview, nil
	case len(differences) == 0 && (local.Certain() || !m.canDryRun(o)):
		return none(), nil
	case !m.canDryRun(o):
		preview.Untried = engine.UntriedPermission
		return m.predictWrite(o, preview), nil
	}
	// The local comparison ignores most defaults and all admission rules. A dry run shows what the write would change.
	result, err := m.Writer.Write(ctx, o, takeover.ActionUpdate, true)
	if err == nil && diff.Same(result, o.Live) {
		return none(), nil
	}
	if !m.DryRun {
		return preview, m.unavailable(err)
	}
	return m.useDryRun(ctx, o, preview, result, err)
}

// isAgreed reports whether this is an apply whose plan showed the action, and the object has not changed since the plan. The plan has already sent the dry
// run, so the apply skips it.
func (m *Member) isAgreed(preview engine.ObjectPreview, action takeover.Action) bool {
	return m.Applying && m.Expected.Agreed(m.Cluster.Name(), preview, action)
}

// checkPlannedUpdate returns the preview, unless it is an update that the plan did not show: then the object remains unchanged. If only an autoscaler has
// changed the object since the placed content was applied, the object counts as up to date. Otherwise, its obstacle is [takeover.ObstacleNotAgreed].
func (m *Member) checkPlannedUpdate(o *Object, preview engine.ObjectPreview) engine.ObjectPreview {
	if preview.Action != takeover.ActionUpdate {
		return preview
	}
	problem := m.Expected.ContradictsUpdate(m.Cluster.Name(), preview.Key(), preview.Mark)
	switch {
	case problem == "":
		return preview
	case len(preview.Differences) > 0 && engine.IsEqualMark(preview.Mark) && m.Ownership.Applied(o) && m.Ownership.Marked(o):
		return situation{preview: preview}.withDecision(takeover.Decision{Action: takeover.ActionNone})
	default:
		return situation{preview: preview}.withDecision(takeover.NotPlanned(problem))
	}
}

// previewDrift compares an owned object whose content was applied before. If the object has drifted or could not be compared, it remains unchanged. As in
// KubeFleet, a change of the content skips this check: the object is then written regardless of changes by others.
func (m *Member) previewDrift(ctx context.Context, o *Object, s situation) (engine.ObjectPreview, error) {
	var err error
	if s.input.Comparison, err = m.compare(ctx, o, nil); err != nil {
		return s.preview, err
	}
	preview := s.withDecision(takeover.DecideDrift(s.input))
	if preview.Action != takeover.ActionUpdate {
		preview.Differences, preview.ObservedDrifts = s.input.Comparison.All(), s.input.Comparison.Patches
	}
	return preview, nil
}

func (m *Member) isGatedByDrift() bool { return m.Strategy.WhenToApply == placement.ApplyIfNotDrifted }

// drifts returns the differences of a full comparison after an apply, as KubeFleet reports them; after is the object that the apply leaves on the member. It
// returns nil if the strategy requires a partial comparison or only a report. The differences include fields that others have added; an apply keeps these
// fields. A preview shows no drifts for a new object, because the API server sets addresses and similar values only when it creates the object.
func (m *Member) drifts(o *Object, after *unstructured.Unstructured) []placement.PatchDetail {
	if !m.Strategy.ComparisonOption.ComparesAllFields() || after == nil || m.isReportDiff() {
		return nil
	}
	return diff.Patches(o.comparisonTarget(), after)
}

// Written records the object that an apply has written, and its drifts.
func (m *Member) Written(o *Object, live *unstructured.Unstructured) {
	o.Live, o.Glimpsed = live, false
	m.align(o)
	o.ObservedDrifts = o.Hidden.Patches(m.drifts(o, live))
}

// Hide returns a preview of the object without the values in Hidden.
func (o *Object) Hide(preview engine.ObjectPreview) engine.ObjectPreview {
	if o.Hidden.IsEmpty() {
		return preview
	}
	preview.Differences = o.Hidden.Differences(preview.Differences)
	preview.ObservedDiffs, preview.ObservedDrifts = o.Hidden.Patches(preview.ObservedDiffs), o.Hidden.Patches(preview.ObservedDrifts)
	preview.Problem, preview.Message = o.Hidden.Text(preview.Problem), o.Hidden.Text(preview.Message)
	return preview
}

// report previews an object under strategy type ReportDiff. Unlike KubeFleet, it never takes ownership, regardless of whenToTakeOver: otherwise, deleting the
// placement would delete an object that was only compared.
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
	preview := s.withReport(report)
	if c := s.input.Comparison; c != nil {
		preview.Differences = c.All()
		if report.Obstacle == takeover.ObstacleNone {
			preview.ObservedDiffs = c.Patches
		}
	}
	return preview, nil
}

func (s situation) withReport(r takeover.Report) engine.ObjectPreview {
	out := s.preview
	out.Action, out.Obstacle, out.Reason, out.Message = takeover.ActionReport, r.Obstacle, r.Reason, r.Message
	if r.Obstacle != takeover.ObstacleNone {
		out.Problem = r.Message
	}
	return out
}

// deletionProblem returns a problem for an object that is being deleted, or "". A write to such an object would be lost. The object must not be recorded as
// taken over, because a later object with its name is another object.
func deletionProblem(live *unstructured.Unstructured) string {
	if live == nil || live.GetDeletionTimestamp() == nil {
		return ""
	}
	problem := "the object on the cluster has been terminating since " + live.GetDeletionTimestamp().UTC().Format(time.RFC3339)
	if finalizers := live.GetFinalizers(); len(finalizers) > 0 {
		problem += " and waits for the finalizers " + strings.Join(finalizers, ", ")
	}
	return problem + "; the next apply after its deletion creates it again"
}
