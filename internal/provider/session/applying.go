package session

import (
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// phase knows whether the process carries a plan out. Terraform starts a process to plan and another one to apply, and has every resource
// planned once more in the latter; it does not tell a provider which of the two it is.
type phase struct {
	mu      sync.Mutex
	writing bool
	// foretold are the placements whose preview this process has printed.
	foretold map[string]bool
}

// ReadyToWrite is [Session.Ready] for an apply or a removal: from the first one on, nothing is planned any more but what is applied next.
func (s *Session) ReadyToWrite(diags *diag.Diagnostics) engine.Engine {
	fleet := s.Ready(diags)
	if fleet != nil {
		s.phase.mu.Lock()
		defer s.phase.mu.Unlock()
		s.phase.writing = true
	}
	return fleet
}

// Applies tells whether the process is known to carry out a plan, so that what it plans was printed when that plan was made.
func (s *Session) Applies() bool {
	if s == nil {
		return false
	}
	s.phase.mu.Lock()
	defer s.phase.mu.Unlock()
	return s.Applying || s.phase.writing
}

// News is what there is to say of a resource that was planned: the errors alone while a plan is carried out, because its warnings were
// printed when it was made.
func (s *Session) News(planned diag.Diagnostics) diag.Diagnostics {
	if !s.Applies() {
		return planned
	}
	return planned.Errors()
}

// Foretell notes that the preview of a placement is printed, if it is.
func (s *Session) Foretell(placement string) {
	if s.Applies() {
		return
	}
	s.phase.mu.Lock()
	defer s.phase.mu.Unlock()
	put(&s.phase.foretold, placement, true)
}

// Carry records that the plan which is being applied has shown the preview of a placement.
func (s *Session) Carry(placement string) {
	s.phase.mu.Lock()
	defer s.phase.mu.Unlock()
	s.phase.writing = true
	put(&s.phase.foretold, placement, true)
}

// Foretold tells whether this process has printed the preview of a placement.
func (s *Session) Foretold(placement string) bool {
	s.phase.mu.Lock()
	defer s.phase.mu.Unlock()
	return s.phase.foretold[placement]
}
