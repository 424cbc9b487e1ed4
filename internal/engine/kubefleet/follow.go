package kubefleet

import (
	"context"
	"errors"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// followed is a change whose way to the members is followed.
type followed struct {
	placement engine.Placement
	// generation is that of the placement as it was written, content the hash of what it selects.
	generation int64
	content    string
	overrides  overrides
	// moves tells of objects that are deleted before they are made anew.
	moves func(cluster string, object manifest.Key) bool
	// rejects reports whether a failure was predicted, so that the plan shows it.
	rejects func(cluster string, failed placement.FailedPlacement) bool
	// item returns the prediction for an object, nil if there is none.
	item    func(cluster string, object manifest.Key) *memberpreview.Object
	options engine.ApplyOptions
	// leaving are the clusters that the placement is to leave, with the reason.
	leaving map[string]string
	// writes are the changes that the agents are predicted to make.
	writes []predict.Write
	// handOver moves the objects that other placements hand over; nil for none.
	handOver *handOver
}

// follow polls the hub until a change is done, cannot proceed without help, or the time is over. Its result is never nil, because the change is written.
func (e *Engine) follow(ctx context.Context, f followed) (*engine.Result, error) {
	began := time.Now()
	var (
		w     watch
		now   progress
		final error
	)
	done, err := controlplane.Poll(ctx, e.pace.Pace, func(ctx context.Context) (_ bool, err error) {
		if now, err = e.look(ctx, f, time.Since(began) >= e.pace.Collect); err != nil {
			return false, err
		}
		moved, err := f.handOver.advance(ctx, e, f, now)
		if moved {
			w.settled = time.Now()
		}
		if isFinal(err) {
			final = err
			return true, nil
		}
		return err == nil && e.over(ctx, f, &w, now), err
	})
	switch {
	case final != nil:
		return e.finish(ctx, f, now, false), final
	case done:
		return e.finish(ctx, f, w.last, false), nil
	case errors.Is(err, engine.ErrNotFound):
		return e.result(ctx, f, w.last, false), err
	case err != nil:
		return e.result(ctx, f, w.last, false), &engine.UnfollowedError{Err: err}
	}
	out := e.finish(ctx, f, w.last, true)
	out.Agents = e.waitedFor(ctx, out.Status, f.options.WaitUntilAvailable)
	return out, nil
}

// watch is what has been seen of a change.
type watch struct {
	last progress
	// settled is since when nothing has moved.
	settled time.Time
	// asked is for how long nothing had moved when the agents' reports were last asked for, which are large.
	asked time.Duration
}

// over tells whether there is nothing more to wait for, now that the change is where it is.
func (e *Engine) over(ctx context.Context, f followed, w *watch, now progress) bool {
	if f.options.Progress != nil && now.text() != w.last.text() {
		f.options.Progress("The hub rolls the placement out", now.fields())
	}
	if !now.same(w.last) {
		w.settled, w.asked = time.Now(), 0
	}
	now.missing = memberpreview.FindMissing(ctx, e.clusters, now.status, f.options.Expected, f.item)
	now.reports, w.last = w.last.reports, now
	arrives := len(now.missing) > 0 && time.Since(w.settled) < memberpreview.ArrivalTime
	if now.done(f) || now.stopped() {
		return true
	}
	if now.mayArrive(f) {
		w.settled = time.Now()
		return false
	}
	if now.hopeless(f) && !arrives && e.reported(ctx, f, w) {
		return true
	}
	if time.Since(w.settled) < e.pace.Retry+now.pause(f) || f.handOver.awaits(now.status) {
		return false
	}
	if now.has(placement.PhaseDiffNotReported) {
		w.settled = time.Now()
		reports, err := e.reports(ctx, f.placement)
		if err != nil {
			return false
		}
		w.last.reports = reports
	}
	return w.last.failing()
}

// reported tells whether the agents have been at everything that is placed, so that no more than the status tells is to come of it. They are
// asked less and less often.
func (e *Engine) reported(ctx context.Context, f followed, w *watch) bool {
	still := time.Since(w.settled)
	if w.asked > 0 && still < 2*w.asked {
		return false
	}
	w.asked = max(still, e.pace.Interval)
	reports, err := e.reports(ctx, f.placement)
	if err != nil {
		return false
	}
	for name, cluster := range w.last.status.Clusters {
		if cluster.IsScheduled() && !reports[name].complete {
			return false
		}
	}
	return true
}

// isFinal reports whether an object cannot be handed over, though its member is reachable. Another attempt in this apply changes nothing.
func isFinal(err error) bool {
	_, denied := errors.AsType[*engine.HandOverDeniedError](err)
	_, changing := errors.AsType[*engine.ChangingObjectError](err)
	return denied || changing
}

// look reads where the change is. collected says that the hub has had the time to notice what is selected now: what it places is the content
// then, whether it is the one that was foreseen or not.
func (e *Engine) look(ctx context.Context, f followed, collected bool) (progress, error) {
	found, _, err := hub.Placement(ctx, e.clusters.Hub, f.placement.Reference)
	if err != nil {
		return progress{}, err
	}
	if found == nil {
		return progress{}, engine.ErrNotFound
	}
	out := progress{
		known: true, generation: found.Generation, status: convert.PlacementStatus(found.Status, found.Spec.Policy), settledContent: true,
	}
	if out.external(f) {
		return out, nil
	}
	if out.leaving, err = e.leaving(ctx, f, out.status); err != nil {
		return progress{}, err
	}
	content, err := hub.Latest(ctx, e.clusters.Hub, f.placement.Reference)
	if err != nil {
		return progress{}, err
	}
	foreseen := content.Hash() == f.content
	out.settledContent = content.Index == out.status.ObservedResourceIndex && (collected || foreseen)
	out.otherContent = collected && !foreseen
	if !out.settledContent || collected {
		return out, nil
	}
	behind, err := f.overrides.behind(ctx, e, out.status)
	if kube.IsForbidden(err) {
		err, out.settledContent = nil, false // until the hub has had the time
	}
	out.settledContent = out.settledContent && len(behind) == 0
	return out, err
}

// otherContent is told where the hub says that all is done and was not seen to place what it was foreseen to.
const otherContent = "the hub tells of another content than the one that was to be placed: somebody has changed an object that is selected meanwhile, or the " +
	"hub's agent does not run and tells of what was before. Check that it runs; a refresh shows what has come of it"

// result is what the change has come to.
func (p progress) result(f followed, timedOut bool) *engine.Result {
	out := &engine.Result{Status: p.status, TimedOut: timedOut, Stalled: p.known && p.failing(), Withheld: p.withheld}
	if !p.known && f.placement.Prior != nil {
		out.Status = *f.placement.Prior
	}
	if p.known {
		out.Status = p.withLeaving()
	}
	out.Status.Unheard = !p.heard()
	if c := p.condition(placement.Scheduled); c != nil && c.Reason == hub.InvalidSelectors {
		out.Warnings = append(out.Warnings, "the hub places nothing of it: "+c.Message)
	} else if p.otherContent {
		out.Warnings = append(out.Warnings, otherContent)
	}
	out.Objects = p.objects(f, out.Status)
	return out
}
