package session

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
)

// run is what the plans of a run have shown so far. Terraform plans several resources at once, in an order that no provider knows.
type run struct {
	// planning counts the placements that are being planned, planned are those that have been.
	planning int
	planned  map[string]bool
	// totals are what the plans of each placement change, by name: that of its removal, and the other one.
	totals map[string]totals
	// summed is the last sum.
	summed string
	// unchecked are the placements that do not change and have clusters that could not be checked, warned how many of them the run has warned of.
	unchecked map[string]report.Unchecked
	warned    int
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

// BeginPlan notes that a placement is being planned. The caller calls end when it is. The plan that ends while no other one is being made also sums up the
// placements of the run, and warns of the clusters that could not be checked for those that do not change. Further ones may be planned after that, which brings another sum.
func (s *Session) BeginPlan(name string) (end func(*diag.Diagnostics)) {
	if s == nil {
		return func(*diag.Diagnostics) {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run.planned[name] { // Terraform plans what it replaces a second time, and shows no warning of that plan
		return func(*diag.Diagnostics) {}
	}
	put(&s.run.planned, name, true)
	s.run.planning++
	return s.endPlan
}

func (s *Session) endPlan(diags *diag.Diagnostics) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run.planning--
	if s.run.planning > 0 {
		return
	}
	if n := len(s.run.unchecked); n != s.run.warned {
		s.run.warned = n
		report.NotChecked(diags, s.run.unchecked, s.first)
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
