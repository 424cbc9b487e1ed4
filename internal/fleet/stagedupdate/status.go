package stagedupdate

import (
	"fmt"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
)

// Condition types of a run, and of its stages, clusters and tasks.
const (
	Initialized = "Initialized"
	Progressing = "Progressing"
	Succeeded   = "Succeeded"

	approvalCreated  = "ApprovalRequestCreated"
	approvalApproved = "ApprovalRequestApproved"
)

const (
	reasonWaiting = "UpdateRunWaiting"
	reasonStuck   = "UpdateRunStuck"
	reasonStopped = "UpdateRunStopped"

	reasonStageWaiting = "StageUpdatingWaiting"
)

func findCondition(conditions []placement.Condition, conditionType string) *placement.Condition {
	i := slices.IndexFunc(conditions, func(c placement.Condition) bool { return c.Type == conditionType })
	if i < 0 {
		return nil
	}
	return &conditions[i]
}

func hasStatus(conditions []placement.Condition, conditionType, status string) bool {
	c := findCondition(conditions, conditionType)
	return c != nil && c.Status == status
}

// Phase returns the phase of the run. It ignores conditions of older generations, except Initialized=True.
func (s Status) Phase() Phase {
	current := slices.DeleteFunc(slices.Clone(s.Conditions), func(c placement.Condition) bool { return c.ObservedGeneration < s.Generation })
	switch {
	case hasStatus(current, Succeeded, placement.True):
		return PhaseSucceeded
	case hasStatus(current, Succeeded, placement.False), hasStatus(current, Initialized, placement.False):
		return PhaseFailed
	}
	if c := findCondition(current, Progressing); c != nil {
		switch c.Reason {
		case reasonWaiting:
			return PhaseWaiting
		case reasonStuck:
			return PhaseStuck
		case reasonStopped:
			return PhaseStopped
		}
		return PhaseProgressing
	}
	if hasStatus(s.Conditions, Initialized, placement.True) {
		return PhaseInitialized
	}
	return PhasePending
}

// Message returns the message of the condition Succeeded, Progressing or Initialized: the first of them that exists, of any generation. It returns
// "" if there is none.
func (s Status) Message() string {
	for _, conditionType := range []string{Succeeded, Progressing, Initialized} {
		if c := findCondition(s.Conditions, conditionType); c != nil {
			return c.Message
		}
	}
	return ""
}

// Phase returns the phase of the stage.
func (s StageStatus) Phase() Phase {
	switch c := findCondition(s.Conditions, Progressing); {
	case hasStatus(s.Conditions, Succeeded, placement.True):
		return PhaseSucceeded
	case hasStatus(s.Conditions, Succeeded, placement.False):
		return PhaseFailed
	case c == nil:
		return PhasePending
	case c.Reason == reasonStageWaiting:
		return PhaseWaiting
	default:
		return PhaseProgressing
	}
}

// Approvals returns the names of the approval requests that exist and are not approved.
func (s StageStatus) Approvals() []string {
	var out []string
	for _, t := range s.Tasks {
		if t.Type == Approval && hasStatus(t.Conditions, approvalCreated, placement.True) && !hasStatus(t.Conditions, approvalApproved, placement.True) {
			out = append(out, t.Request)
		}
	}
	return out
}

// Summary returns the stage in a few words: its phase, how many of its clusters are done, and the approvals that it waits for.
func (s StageStatus) Summary() string {
	done := 0
	for _, c := range s.Clusters {
		if hasStatus(c.Conditions, Succeeded, placement.True) {
			done++
		}
	}
	text := fmt.Sprintf("%s (%d of %d clusters)", s.Phase(), done, len(s.Clusters))
	for _, request := range s.Approvals() {
		text += ", awaits the approval " + request
	}
	return printable.Line(text)
}

// Approvals returns the names of the approval requests, in all stages, that exist and are not approved.
func (s Status) Approvals() []string {
	var out []string
	for _, stage := range s.Stages {
		out = append(out, stage.Approvals()...)
	}
	return out
}

// Stage returns the stage with a name, or nil if there is none.
func (s Status) Stage(name string) *StageStatus {
	i := slices.IndexFunc(s.Stages, func(stage StageStatus) bool { return stage.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Stages[i]
}
