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

// Reasons of the condition Progressing.
const (
	reasonWaiting = "UpdateRunWaiting"
	reasonStuck   = "UpdateRunStuck"
	reasonStopped = "UpdateRunStopped"

	reasonStageWaiting = "StageUpdatingWaiting"
)

func find(conditions []placement.Condition, conditionType string) *placement.Condition {
	i := slices.IndexFunc(conditions, func(c placement.Condition) bool { return c.Type == conditionType })
	if i < 0 {
		return nil
	}
	return &conditions[i]
}

func is(conditions []placement.Condition, conditionType, status string) bool {
	c := find(conditions, conditionType)
	return c != nil && c.Status == status
}

// Phase is where the run stands: what the hub says of the run as it is now.
func (s Status) Phase() Phase {
	current := slices.DeleteFunc(slices.Clone(s.Conditions), func(c placement.Condition) bool { return c.ObservedGeneration < s.Generation })
	switch {
	case is(current, Succeeded, placement.True):
		return PhaseSucceeded
	case is(current, Succeeded, placement.False), is(current, Initialized, placement.False):
		return PhaseFailed
	}
	if c := find(current, Progressing); c != nil {
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
	if is(s.Conditions, Initialized, placement.True) {
		return PhaseInitialized
	}
	return PhasePending
}

// Message is what the hub says about where the run stands; empty if that is nothing.
func (s Status) Message() string {
	for _, conditionType := range []string{Succeeded, Progressing, Initialized} {
		if c := find(s.Conditions, conditionType); c != nil {
			return c.Message
		}
	}
	return ""
}

// Phase is where the stage stands.
func (s StageStatus) Phase() Phase {
	switch c := find(s.Conditions, Progressing); {
	case is(s.Conditions, Succeeded, placement.True):
		return PhaseSucceeded
	case is(s.Conditions, Succeeded, placement.False):
		return PhaseFailed
	case c == nil:
		return PhasePending
	case c.Reason == reasonStageWaiting:
		return PhaseWaiting
	default:
		return PhaseProgressing
	}
}

// Approvals are the names of the approval requests that nobody has answered yet.
func (s StageStatus) Approvals() []string {
	var out []string
	for _, t := range s.Tasks {
		if t.Type == Approval && is(t.Conditions, approvalCreated, placement.True) && !is(t.Conditions, approvalApproved, placement.True) {
			out = append(out, t.Request)
		}
	}
	return out
}

// Summary is the stage in a few words: where it stands, how many of its clusters are done, and what it waits for.
func (s StageStatus) Summary() string {
	done := 0
	for _, c := range s.Clusters {
		if is(c.Conditions, Succeeded, placement.True) {
			done++
		}
	}
	text := fmt.Sprintf("%s (%d of %d clusters)", s.Phase(), done, len(s.Clusters))
	for _, request := range s.Approvals() {
		text += ", awaits the approval " + request
	}
	return printable.Line(text)
}

// Approvals are the names of the approval requests that the run waits for.
func (s Status) Approvals() []string {
	var out []string
	for _, stage := range s.Stages {
		out = append(out, stage.Approvals()...)
	}
	return out
}

// Stage is the stage with a name; nil if there is none.
func (s Status) Stage(name string) *StageStatus {
	i := slices.IndexFunc(s.Stages, func(stage StageStatus) bool { return stage.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Stages[i]
}
