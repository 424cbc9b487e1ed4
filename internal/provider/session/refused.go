package session

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// If the plan of a placement returns an error about a hand-over, nothing is applied, and warnings about the same objects would repeat the error. Terraform can
// plan the giver and the taker at the same time. So a plan that may warn about such objects first waits for the plans in progress.

// refusalPatience is how long a plan waits for others before it warns about its objects. After that time, a warning may repeat an error.
const refusalPatience = 3 * time.Second

// RefuseHandOver records that the plan of a placement returns an error about a hand-over between two placements.
func (s *Session) RefuseHandOver(taker, giver string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.placement(taker).isRefused, s.placement(giver).isRefused = true, true
}

// AwaitRefusal reports whether the run has an error about a hand-over of a placement. If the placement deletes objects, does not take over some, or takes some
// over from another placement, AwaitRefusal first waits for the placements that are read or planned at the same time.
func (s *Session) AwaitRefusal(ctx context.Context, name string) (refused bool) {
	if s.Applies() { // only errors are reported then
		return false
	}
	p := s.lock(name)
	defer s.mu.Unlock()
	delete(s.run.open, name)
	s.run.notify()
	if p.concernsOthers() {
		s.progress.busy--
		s.progress.notify()
		s.awaitPlanned(ctx, maps.Clone(s.run.open))
		s.progress.busy++
	}
	return p.isRefused
}

// concernsOthers reports whether the plan of another placement may return an error about an object of this one.
func (p *placementInRun) concernsOthers() bool {
	if p.objects != nil && (p.objects.Deleted.Any() || p.objects.LeftAlone.Any()) {
		return true
	}
	return slices.ContainsFunc(slices.Collect(maps.Values(p.takes)), engine.Taker.TakesAny)
}

// awaitPlanned unlocks the session until the plans of the given placements have recorded their changes or have ended. It returns earlier if the context is
// done, or if [refusalPatience] has passed. If all the placements that it waits for are refreshed and not planned yet, it returns after [betweenReadAndPlan].
func (s *Session) awaitPlanned(ctx context.Context, placements map[string]bool) {
	end := time.Now().Add(refusalPatience)
	for {
		patience, waits := betweenReadAndPlan, false
		for name := range placements {
			waits = waits || s.run.open[name]
			if s.run.open[name] && !s.run.read[name] {
				patience = refusalPatience
			}
		}
		if !waits {
			return
		}
		if !s.wait(ctx.Done(), s.run.await(), min(patience, time.Until(end))) {
			return
		}
	}
}
