package session

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
)

// run is what the plans of a run have shown so far. Terraform plans several resources at once, in an order that no provider knows.
type run struct {
	// reading counts the placements that are being refreshed, read are those that have been and are not planned yet. news is closed at the next change of these.
	reading int
	read    map[string]bool
	news    chan struct{}
	// planning counts the placements that are being planned, planned are those that have been.
	planning int
	planned  map[string]bool
	// open are the placements that are being refreshed or planned, and have not recorded yet what the plan does.
	open map[string]bool
	// totals are what the plans of each placement change, by name: that of its removal, and the other one.
	totals map[string]totals
	// summed is the last sum.
	summed string
	// unchecked are the placements that do not change, have clusters that could not be checked, and that the run has not warned of yet.
	unchecked map[string]report.Unchecked
	// texts are those that a plan has shown.
	texts map[string]bool
}

type totals struct{ removal, apply report.Total }

// First reports whether the run shows a text for the first time.
func (s *Session) First(text string) bool {
	if s.Applies() {
		return true // Terraform prints no warning of these plans, and an error needs the whole text
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first(text)
}

// FirstInApply is [Session.First] for the outcomes of an apply.
func (s *Session) FirstInApply(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first(text)
}

// first is [Session.First] for callers that hold the lock.
func (s *Session) first(text string) bool {
	if s.run.texts[text] {
		return false
	}
	put(&s.run.texts, text, true)
	return true
}

// PlansChange records what the plan of a placement changes.
func (s *Session) PlansChange(name string, total report.Total) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.run.totals[name]
	now.apply = total
	put(&s.run.totals, name, now)
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
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.run.totals[name]
	now.removal = total
	put(&s.run.totals, name, now)
}

// BeginRead notes that a placement is being refreshed. The caller calls end when it is. Terraform plans a placement right after its refresh, unless the refresh
// failed, nothing is left of the placement, or a removed block keeps it from being planned.
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
		s.run.note()
	}
}

// BeginPlan notes that a placement is being planned. prior is its name in the state, "" for none. The caller calls end when it is. The plan that ends while no
// other one is being made also sums up the placements of the run, and warns of the clusters that could not be checked for those that do not change. Further ones may be
// planned after that, which brings another sum: those that the state does not have, and those that depend on other resources.
func (s *Session) BeginPlan(name, prior string) (end func(*diag.Diagnostics)) {
	if s == nil {
		return func(*diag.Diagnostics) {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.run.read, prior)
	delete(s.run.open, prior)
	if s.run.planned[name] { // Terraform plans what it replaces a second time, and shows no warning of that plan
		s.run.note()
		return func(*diag.Diagnostics) {}
	}
	put(&s.run.planned, name, true)
	put(&s.run.open, name, true)
	s.run.planning++
	s.run.note()
	return func(diags *diag.Diagnostics) { s.endPlan(name, diags) }
}

// betweenReadAndPlan is how long a sum waits for the plan of a placement whose refresh has ended. Terraform plans it within milliseconds, or not at all.
const betweenReadAndPlan = 500 * time.Millisecond

// await returns a channel that is closed with the next note.
func (r *run) await() <-chan struct{} {
	if r.news == nil {
		r.news = make(chan struct{})
	}
	return r.news
}

// dropRead no longer expects the plans of the placements that have been refreshed: Terraform does not plan them.
func (r *run) dropRead() {
	for name := range r.read {
		delete(r.open, name)
	}
	clear(r.read)
}

// note records that a refresh ended, a plan began, or a plan has recorded what it does.
func (r *run) note() {
	if r.news != nil {
		close(r.news)
		r.news = nil
	}
}

// awaitPlans unlocks the session until no refreshed placement is about to be planned, or another plan has begun.
func (s *Session) awaitPlans() {
	for s.run.planning == 0 && s.run.reading+len(s.run.read) > 0 {
		patience := betweenReadAndPlan
		if s.run.reading > 0 {
			patience = time.Hour // a refresh ends by itself
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
	s.run.note()
	s.awaitPlans()
	if s.run.planning > 0 {
		return
	}
	report.NotChecked(diags, s.run.unchecked, s.first)
	clear(s.run.unchecked)
	if len(s.handOvers.refused) > 0 { // nothing of the sum is applied
		return
	}
	var all report.Total
	for _, of := range s.run.totals {
		all = all.And(of.removal).And(of.apply)
	}
	if text := all.String(); text != s.run.summed {
		s.run.summed = text
		report.Sum(diags, all)
	}
}
