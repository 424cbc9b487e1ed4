package session

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
)

// run contains the results of the run's plans so far. Terraform plans several resources concurrently, in an order that a provider cannot know.
type run struct {
	// reading counts the placements that are being refreshed. read are the placements that are refreshed and not planned yet. notify closes changed.
	reading  int
	read     map[string]bool
	changed  chan struct{}
	planning int
	// open are the placements that are being refreshed or planned and whose plan has not recorded its changes yet.
	open map[string]bool
	// lastSum is the text of the total that [report.Sum] reported last.
	lastSum string
	// unchecked are the clusters that could not be checked, by placement. It has only unchanged placements, and only until the run has warned about the clusters.
	unchecked  map[string]report.Unchecked
	shownTexts Set[string]
}

type totals struct{ removal, apply report.Total }

// First reports whether the run shows a text for the first time, and records that it does. While a plan is applied, it always returns true.
func (s *Session) First(text string) bool {
	if s.Applies() {
		return true // the warnings of these plans are not reported, and an error needs the whole text
	}
	return s.run.shownTexts.Add(text)
}

// FirstInApply is [Session.First] for the outcomes of an apply.
func (s *Session) FirstInApply(text string) bool {
	return s.run.shownTexts.Add(text)
}

// PlansChange records what the plan of a placement changes.
func (s *Session) PlansChange(name string, total report.Total) {
	p := s.lock(name)
	defer s.mu.Unlock()
	p.totals.apply = total
}

// PlansUnchecked records the clusters that could not be checked for a placement that does not change.
func (s *Session) PlansUnchecked(name string, clusters report.Unchecked) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if clusters.Any() {
		put(&s.run.unchecked, name, clusters)
	}
}

// PlansRemoval records what the removal of a placement changes.
func (s *Session) PlansRemoval(name string, total report.Total) {
	p := s.lock(name)
	defer s.mu.Unlock()
	p.totals.removal = total
}

// BeginRead records that a placement is being refreshed. The caller calls end after the refresh. isPlanned is false if the refresh failed or the placement no
// longer exists: Terraform then does not plan it with a prior state. Otherwise, Terraform plans it right after the refresh, unless a removed block excludes it.
func (s *Session) BeginRead(name string) (end func(isPlanned bool)) {
	if s == nil {
		return func(bool) {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run.reading++
	put(&s.run.open, name, true)
	return func(isPlanned bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.run.reading--
		if isPlanned {
			put(&s.run.read, name, true)
		} else {
			delete(s.run.open, name)
		}
		s.run.notify()
	}
}

// BeginPlan records that a placement is being planned. prior is its name in the state, "" for none. The caller calls end after the plan. A plan that ends while
// no other plan is in progress or expected also reports the sum of the run's placements. It also warns about the clusters that could not be checked for
// unchanged placements. If Terraform plans further placements later, the last of these plans reports the sum again, unless the sum is the same.
func (s *Session) BeginPlan(name, prior string) (end func(*diag.Diagnostics)) {
	if s == nil {
		return func(*diag.Diagnostics) {}
	}
	p := s.lock(name)
	defer s.mu.Unlock()
	delete(s.run.read, prior)
	delete(s.run.open, prior)
	if p.hasBegun { // Terraform plans a replaced resource a second time, and shows no warnings of that plan
		s.run.notify()
		return func(*diag.Diagnostics) {}
	}
	p.hasBegun = true
	put(&s.run.open, name, true)
	s.run.planning++
	s.run.notify()
	return func(diags *diag.Diagnostics) { s.endPlan(name, diags) }
}

// betweenReadAndPlan is how long to wait for the plan of a placement after its refresh. Terraform starts the plan within milliseconds, or does not plan the
// placement.
const betweenReadAndPlan = 500 * time.Millisecond

func (r *run) await() <-chan struct{} {
	if r.changed == nil {
		r.changed = make(chan struct{})
	}
	return r.changed
}

// dropRead drops the refreshed placements that are not planned yet. After [betweenReadAndPlan], Terraform does not plan them any more in this run.
func (r *run) dropRead() {
	for name := range r.read {
		delete(r.open, name)
	}
	clear(r.read)
}

// notify signals that a refresh ended, a plan began or ended, or a plan has recorded its changes.
func (r *run) notify() {
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

// awaitPlans unlocks the session until another plan has begun, or no plan of a refreshed placement is expected any more.
func (s *Session) awaitPlans() {
	for s.run.planning == 0 && s.run.reading+len(s.run.read) > 0 {
		patience := betweenReadAndPlan
		if s.run.reading > 0 {
			patience = time.Hour // the end of a refresh calls notify
		}
		if !s.wait(nil, s.run.await(), patience) {
			s.run.dropRead()
		}
	}
}

func (s *Session) endPlan(name string, diags *diag.Diagnostics) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run.planning--
	delete(s.run.open, name)
	s.run.notify()
	s.awaitPlans()
	if s.run.planning > 0 {
		return
	}
	report.NotChecked(diags, s.run.unchecked, s.run.shownTexts.Add)
	clear(s.run.unchecked)
	var all report.Total
	for _, p := range s.placements {
		if p.isRefused { // the plan fails, so no change of the sum is applied
			return
		}
		all = all.And(p.totals.removal).And(p.totals.apply)
	}
	if text := all.String(); text != s.run.lastSum {
		s.run.lastSum = text
		report.Sum(diags, all)
	}
}
