package session

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// Terraform starts one process to plan and another one to apply, and plans a resource again in the second process, right before it applies the resource. A
// request does not show whether it belongs to the plan or to the apply. If a single process makes both, the plan and the apply have separate sessions.

// ReadyToWrite is [Session.Ready] for an apply or a removal. If it returns an engine, it also records that the process applies a plan: from then on, Terraform
// plans a resource only right before it applies the resource.
func (s *Session) ReadyToWrite(diags *diag.Diagnostics) engine.Engine {
	fleet := s.Ready(diags)
	if fleet != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.isApplying = true
	}
	return fleet
}

// Applies reports whether the process is known to apply a plan. If so, the plan has already shown the previews.
func (s *Session) Applies() bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Applying || s.isApplying
}

// UnreportedDiagnostics returns the diagnostics to report for a planned resource. While a plan is applied, these are only the errors: the warnings were
// printed when the plan was made.
func (s *Session) UnreportedDiagnostics(planned diag.Diagnostics) diag.Diagnostics {
	if !s.Applies() {
		return planned
	}
	return planned.Errors()
}

// RecordPreview records that the preview of a placement is printed. While a plan is applied, it does nothing: [Session.UnreportedDiagnostics] then drops the
// preview.
func (s *Session) RecordPreview(placement string) {
	if s.Applies() {
		return
	}
	p := s.lock(placement)
	defer s.mu.Unlock()
	p.isShown = true
}

// RecordAppliedPlan records that the process applies a plan, and that this plan has shown the preview of a placement.
func (s *Session) RecordAppliedPlan(placement string) {
	p := s.lock(placement)
	defer s.mu.Unlock()
	p.isShown = true
	s.isApplying = true
}

// HasShownPreview reports whether the preview of a placement was printed, by this process or by the plan that it applies.
func (s *Session) HasShownPreview(placement string) bool {
	p := s.lock(placement)
	defer s.mu.Unlock()
	return p.isShown
}
