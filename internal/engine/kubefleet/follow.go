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

// rolloutChange is a written change of a placement, with the predictions for its rollout.
type rolloutChange struct {
	placement engine.Placement
	// generation is the generation of the written placement. content is the hash of the objects that the placement selects.
	generation int64
	content    string
	overrides  overrides
	// moves reports whether an object is predicted to be deleted and recreated.
	moves func(cluster string, object manifest.Key) bool
	// rejects reports whether the prediction contains a failure that the hub reports.
	rejects func(cluster string, failed placement.FailedPlacement) bool
	// item returns the prediction for an object, nil if there is none.
	item    func(cluster string, object manifest.Key) *memberpreview.Object
	options engine.ApplyOptions
	// leaving has the reason for each cluster that the placement leaves.
	leaving map[string]string
	// writes are the predicted changes of objects on members.
	writes []predict.Write
	// handOver moves the objects that other placements hand over. A nil handOver moves none.
	handOver *handOver
}

// follow polls the hub until the change is done or has failed, until the hub reports that it cannot resolve the selectors, or until the context ends. The
// result is never nil, because the change is already written.
func (e *Engine) follow(ctx context.Context, f rolloutChange) (*engine.Result, error) {
	began := time.Now()
	var (
		w     watch
		now   progress
		final error
	)
	done, err := controlplane.Poll(ctx, e.pace.Pace, func(ctx context.Context) (_ bool, err error) {
		if now, err = e.readProgress(ctx, f, time.Since(began) >= e.pace.Collect); err != nil {
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
		return err == nil && e.isOver(ctx, f, &w, now), err
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
	out.Agents, out.HeartbeatsOverdue = e.awaitedAgents(ctx, out.Status, f.options.WaitUntilAvailable)
	return out, nil
}

// watch is the state of the poll between two reads.
type watch struct {
	last progress
	// settled is when one of these events last happened: the progress changed, a hand-over moved an object, mayArrive returned true, or isOver read the agents'
	// reports about differences.
	settled time.Time
	// asked is how long after settled haveAgentsReported last read the agents' reports, or 0 if it has not read them since.
	asked time.Duration
}

func (e *Engine) isOver(ctx context.Context, f rolloutChange, w *watch, now progress) bool {
	if f.options.Progress != nil && now.text() != w.last.text() {
		f.options.Progress("The hub rolls the placement out", now.fields())
	}
	if !now.equals(w.last) {
		w.settled, w.asked = time.Now(), 0
	}
	now.missing = memberpreview.FindMissing(ctx, e.clusters, now.status, f.options.Expected, f.item)
	now.reports, w.last = w.last.reports, now
	arrives := len(now.missing) > 0 && time.Since(w.settled) < memberpreview.ArrivalTime
	if now.isDone(f) {
		return !now.awaitsPicks(f) || time.Since(w.settled) >= e.pace.Retry
	}
	if now.isStopped() {
		return true
	}
	if now.mayArrive(f) {
		w.settled = time.Now()
		return false
	}
	if now.hasFailedForGood(f) && !arrives && e.haveAgentsReported(ctx, f, w) {
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
	return w.last.isFailing()
}

// haveAgentsReported reports whether the agents of all picked clusters have processed every Work, so that the status is final. The reports are large: while
// there is no progress, the interval between reads doubles, and haveAgentsReported returns false without a read in between.
func (e *Engine) haveAgentsReported(ctx context.Context, f rolloutChange, w *watch) bool {
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

// isFinal reports whether a hand-over failed with an error that a retry in this apply does not resolve.
func isFinal(err error) bool {
	_, denied := errors.AsType[*engine.HandOverDeniedError](err)
	_, changing := errors.AsType[*engine.ChangingObjectError](err)
	return denied || changing
}

// readProgress reads the state of the change. collected reports that the hub has had enough time to observe the current selection. In that case, the latest
// content of the hub counts as the content of the change, even if it is not the predicted content, and readProgress does not check the overrides. With strategy
// External, it reads only the placement.
func (e *Engine) readProgress(ctx context.Context, f rolloutChange, collected bool) (progress, error) {
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
	if out.isExternal(f) {
		return out, nil
	}
	if out.leaving, err = e.leaving(ctx, f, out.status); err != nil {
		return progress{}, err
	}
	content, err := hub.Latest(ctx, e.clusters.Hub, f.placement.Reference)
	if err != nil {
		return progress{}, err
	}
	predicted := content.Hash() == f.content
	out.settledContent = content.Index == out.status.ObservedResourceIndex && (collected || predicted)
	out.otherContent = collected && !predicted
	if !out.settledContent || collected {
		return out, nil
	}
	behind, err := f.overrides.clustersBehind(ctx, e, out.status)
	if kube.IsForbidden(err) {
		err, out.settledContent = nil, false // unknown until the hub has had enough time
	}
	out.settledContent = out.settledContent && len(behind) == 0
	return out, err
}

// otherContent is the warning if the hub has had enough time to collect the content, and its latest content is not the predicted content.
const otherContent = "the hub reports different content than was to be placed: a selected object has been changed in the meantime, or the hub's agent " +
	"does not run and the report is old. Check that the agent runs, and refresh to see the result"

func (p progress) result(f rolloutChange, timedOut bool) *engine.Result {
	out := &engine.Result{Status: p.status, TimedOut: timedOut, Stalled: p.known && p.isFailing(), Withheld: p.withheld}
	if !p.known && f.placement.Prior != nil {
		out.Status = *f.placement.Prior
	}
	if p.known {
		out.Status = p.withLeaving()
	}
	out.Status.NotObserved = !p.isObserved()
	if c := p.condition(placement.Scheduled); c != nil && c.Reason == hub.InvalidSelectors {
		out.Warnings = append(out.Warnings, "the hub cannot resolve the selectors, and does nothing for the placement: "+c.Message)
	} else if p.otherContent {
		out.Warnings = append(out.Warnings, otherContent)
	}
	out.Objects = p.objects(f, out.Status)
	return out
}
