package session

import (
	"context"
	"slices"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// Terraform removes placements in an order that providers do not know, and -parallelism limits the number of concurrent removals. A removal that waits for
// another one may keep that one from starting. So it waits only while another operation of the run is in progress or could start within [grace].

// grace is how long a removal waits for another one to start while no other operation of the run is in progress. Terraform starts a removal without
// dependencies within milliseconds.
const grace = 5 * time.Second

var _ engine.SameRun = (*Removal)(nil)

// Removal is the removal of a placement, planned or in progress. It reports to the engine what the run does with other placements.
type Removal struct {
	session *Session
	name    string
	// kept are placements that an earlier removal has waited for in vain. They are considered kept unless this run is known to remove them.
	kept []string
	// replaces means that the placement is created again. The removal then keeps a Namespace or CustomResourceDefinition that contains objects of other
	// placements, unless this run is known to remove those placements.
	replaces bool

	// The mutex of the session guards the fields below.

	ended, failed, waited bool
	// steps counts the changes of this removal that other removals may wait for.
	steps int
	// seen are the step counts of other removals, by placement, right before the engine last checked the clusters.
	seen map[string]int
	// unmet are the placements that the removal stopped waiting for.
	unmet []string
}

type progress struct {
	// busy counts the operations in progress that do not wait for others.
	busy int
	// changed is when an operation last started, ended or began to wait. signal is closed at the next such moment.
	changed time.Time
	signal  chan struct{}
}

func (p *progress) notify() {
	p.changed = time.Now()
	if p.signal != nil {
		close(p.signal)
	}
	p.signal = make(chan struct{})
}

// Removal returns the planned removal of a placement. See [Removal] for kept.
func (s *Session) Removal(name string, kept []string) *Removal {
	return &Removal{session: s, name: name, kept: kept}
}

// Replacement returns the planned removal of a placement that is created again afterwards.
func (s *Session) Replacement(name string) *Removal {
	return &Removal{session: s, name: name, replaces: true}
}

// StartRemoval records that the removal of a placement starts, and returns the removal. The caller calls End once.
func (s *Session) StartRemoval(name string) *Removal {
	p := s.lock(name)
	defer s.mu.Unlock()
	r := &Removal{session: s, name: name, steps: 1}
	p.removal = r
	r.recordSteps()
	s.progress.busy++
	s.progress.notify()
	return r
}

// End records the end of the removal.
func (r *Removal) End(failed bool) {
	r.session.mu.Lock()
	defer r.session.mu.Unlock()
	r.ended, r.failed = true, failed
	r.steps++
	r.session.progress.busy--
	r.session.progress.notify()
}

// Work records that an operation on a placement, other than a removal, is in progress until end is called. Plans and reads are operations too.
func (s *Session) Work() (end func()) {
	if s == nil {
		return func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress.busy++
	s.progress.notify()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.progress.busy--
		s.progress.notify()
	}
}

// Fate returns what the run does with another placement.
func (r *Removal) Fate(placement string) engine.Fate {
	r.session.mu.Lock()
	defer r.session.mu.Unlock()
	return r.fate(placement)
}

func (r *Removal) fate(placement string) engine.Fate {
	other := r.session.placement(placement)
	switch {
	case len(r.session.takers(placement)) > 0: // other placements take its objects over, so the objects remain
		return engine.FateKept
	case other.removal != nil && !other.removal.failed:
		return engine.FateRemoving
	case other.isDestroyed:
		return engine.FatePlanned
	case other.config != nil, r.replaces, slices.Contains(r.kept, placement):
		return engine.FateKept
	}
	return engine.FateUnknown
}

// Await waits until the removal of one of the placements has made progress. It returns false if ctx is done, if each of the
// placements is kept or its removal has ended, or if for [grace] no other operation of the run was in progress.
func (r *Removal) Await(ctx context.Context, placements []string) bool {
	s := r.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if !r.waited { // the removal has deleted everything else before its first wait
		r.waited = true
		r.steps++
	}
	s.progress.busy--
	s.progress.notify()
	defer func() { s.progress.busy++ }()
	for {
		if slices.ContainsFunc(placements, r.hasChanged) {
			r.recordSteps()
			return true
		}
		if !slices.ContainsFunc(placements, r.mayChange) || !s.await(ctx, grace) {
			break
		}
	}
	r.unmet = placements
	// notify restarts the grace period of the other waiting removals: when this removal ends, Terraform can start further removals.
	s.progress.notify()
	return false
}

// await unlocks the session until an operation starts, ends or begins to wait. If no operation is in progress, await ends at the latest when the patience has
// passed since the last of these changes. It returns false if the context is done. It also returns false, without
// waiting, if no operation is in progress and the patience has already passed.
func (s *Session) await(ctx context.Context, patience time.Duration) bool {
	left := patience - time.Since(s.progress.changed)
	if s.progress.busy > 0 {
		left = time.Hour // an operation in progress signals its end
	} else if left <= 0 {
		return false
	}
	s.wait(ctx.Done(), s.progress.signal, left)
	return ctx.Err() == nil
}

// wait unlocks the session until changed is closed, and then returns true. It returns false if done is closed, or the patience has passed, before that.
func (s *Session) wait(done, changed <-chan struct{}, patience time.Duration) bool {
	s.mu.Unlock()
	defer s.mu.Lock()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-done:
		return false
	case <-changed:
		return true
	case <-timer.C:
		return false
	}
}

// hasChanged reports whether the removal of another placement made progress after the engine checked the clusters.
func (r *Removal) hasChanged(placement string) bool {
	other := r.session.placement(placement).removal
	return other != nil && other.steps != r.seen[placement]
}

// mayChange reports whether the removal of another placement may still start or continue.
func (r *Removal) mayChange(placement string) bool {
	if other := r.session.placement(placement).removal; other != nil {
		return !other.ended
	}
	return r.fate(placement) != engine.FateKept
}

// recordSteps records the progress of the other removals, right before the engine checks the clusters.
func (r *Removal) recordSteps() {
	r.seen = map[string]int{}
	for name, other := range r.session.placements {
		if other.removal != nil {
			r.seen[name] = other.removal.steps
		}
	}
}

// Unmet returns the placements that the removal stopped waiting for.
func (r *Removal) Unmet() []string {
	r.session.mu.Lock()
	defer r.session.mu.Unlock()
	return r.unmet
}

// KeepContainers makes the removal keep the Namespaces and CustomResourceDefinitions that contain objects of the placements that it waited for in vain.
// It does so only if all of these placements are among the given ones, and reports whether it does. If so, the caller repeats the removal.
func (r *Removal) KeepContainers(awaited []string) bool {
	r.session.mu.Lock()
	defer r.session.mu.Unlock()
	if len(r.unmet) == 0 || slices.ContainsFunc(r.unmet, func(name string) bool { return !slices.Contains(awaited, name) }) {
		return false
	}
	r.kept, r.unmet = r.unmet, nil
	return true
}
