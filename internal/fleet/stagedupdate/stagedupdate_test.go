package stagedupdate

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	stage := func(change func(*Stage)) Strategy {
		s := Stage{Name: "canary"}
		change(&s)
		return Strategy{Stages: []Stage{s}}
	}
	for name, c := range map[string]struct {
		strategy Strategy
		want     string
	}{
		"valid": {stage(func(s *Stage) {
			s.MaxConcurrency, s.SortingLabelKey = "30%", "example.org/order"
			s.BeforeStageTasks = []Task{{Type: Approval}}
			s.AfterStageTasks = []Task{{Type: TimedWait, WaitTime: "1h30m"}, {Type: Approval}}
		}), ""},
		"no stages":                {Strategy{}, "stages"},
		"a name":                   {stage(func(s *Stage) { s.Name = "a-b" }), "stages[0].name"},
		"twice":                    {Strategy{Stages: []Stage{{Name: "a"}, {Name: "a"}}}, "stages[1].name"},
		"none in parallel":         {stage(func(s *Stage) { s.MaxConcurrency = "0" }), "stages[0].max_concurrency"},
		"too many in parallel":     {stage(func(s *Stage) { s.MaxConcurrency = "101%" }), "stages[0].max_concurrency"},
		"far too many in parallel": {stage(func(s *Stage) { s.MaxConcurrency = "4294967297" }), "stages[0].max_concurrency"},
		"waiting for ever":         {stage(func(s *Stage) { s.AfterStageTasks = []Task{{Type: TimedWait, WaitTime: "99999999999h"}} }), "stages[0].after_stage_tasks[0].wait_time"},
		"no label":                 {stage(func(s *Stage) { s.SortingLabelKey = "a b" }), "stages[0].sorting_label_key"},
		"waiting before":           {stage(func(s *Stage) { s.BeforeStageTasks = []Task{{Type: TimedWait, WaitTime: "1m"}} }), "stages[0].before_stage_tasks"},
		"waiting for nothing":      {stage(func(s *Stage) { s.AfterStageTasks = []Task{{Type: TimedWait}} }), "stages[0].after_stage_tasks[0].wait_time"},
		"an approval in time":      {stage(func(s *Stage) { s.AfterStageTasks = []Task{{Type: Approval, WaitTime: "1m"}} }), "stages[0].after_stage_tasks[0].wait_time"},
		"two approvals":            {stage(func(s *Stage) { s.AfterStageTasks = []Task{{Type: Approval}, {Type: Approval}} }), "stages[0].after_stage_tasks[1].type"},
		"another kind of task":     {stage(func(s *Stage) { s.AfterStageTasks = []Task{{Type: "Prayer"}} }), "stages[0].after_stage_tasks[0].type"},
	} {
		problems := Validate(c.strategy)
		switch {
		case c.want == "" && len(problems) > 0, c.want != "" && len(problems) != 1:
			t.Errorf("%s: %v", name, problems)
		case c.want != "" && problems[0].Path.String() != c.want:
			t.Errorf("%s: %s", name, problems[0])
		}
	}
}

func TestValidateUse(t *testing.T) {
	t.Parallel()
	got := ValidateUse(Strategy{Stages: []Stage{{Name: "a", LabelSelector: &metav1.LabelSelector{}}, {Name: "b"}}})
	if len(got) != 1 || !got[0].Warning || got[0].Path.String() != "stages[1]" {
		t.Errorf("%v", got)
	}
}

func TestValidateChange(t *testing.T) {
	t.Parallel()
	refused := map[[2]State]bool{{Initialize, Stop}: true, {Started, Initialize}: true, {Stop, Initialize}: true, {"", Stop}: true, {Started, ""}: true, {Stop, ""}: true}
	for _, before := range []State{"", Initialize, Started, Stop} {
		for _, after := range []State{"", Initialize, Started, Stop} {
			if got := len(ValidateChange(Run{State: before}, Run{State: after})) > 0; got != refused[[2]State{before, after}] {
				t.Errorf("%q to %q: %v", before, after, got)
			}
		}
	}
}

func condition(conditionType, status, reason string) placement.Condition {
	return placement.Condition{Type: conditionType, Status: status, Reason: reason, ObservedGeneration: 2}
}

// TestPhase checks that the phase is that of the current generation, whatever the hub has reported about earlier ones.
func TestPhase(t *testing.T) {
	t.Parallel()
	initialized := condition(Initialized, "True", "UpdateRunInitializedSuccessfully")
	for want, conditions := range map[Phase][]placement.Condition{
		PhasePending:     nil,
		PhaseInitialized: {initialized},
		PhaseProgressing: {initialized, condition(Progressing, "True", "UpdateRunProgressing")},
		PhaseWaiting:     {initialized, condition(Progressing, "False", "UpdateRunWaiting")},
		PhaseStuck:       {initialized, condition(Progressing, "False", "UpdateRunStuck")},
		PhaseStopped:     {initialized, condition(Progressing, "False", "UpdateRunStopped")},
		PhaseSucceeded:   {initialized, condition(Progressing, "False", "UpdateRunSucceeded"), condition(Succeeded, "True", "UpdateRunSucceeded")},
		PhaseFailed:      {initialized, condition(Progressing, "False", "UpdateRunFailed"), condition(Succeeded, "False", "UpdateRunFailed")},
	} {
		if got := (Status{Generation: 2, Conditions: conditions}).Phase(); got != want {
			t.Errorf("%s: %s", want, got)
		}
	}
	if got := (Status{Generation: 2, Conditions: []placement.Condition{condition(Initialized, "False", "UpdateRunInitializedFailed")}}).Phase(); got != PhaseFailed {
		t.Errorf("not initialized: %s", got)
	}
	before := Status{Generation: 3, Conditions: []placement.Condition{initialized, condition(Progressing, "False", "UpdateRunStopped")}}
	if got := before.Phase(); got != PhaseInitialized {
		t.Errorf("said of an earlier generation: %s", got)
	}
}

func TestStageSummary(t *testing.T) {
	t.Parallel()
	stage := StageStatus{
		Name:       "canary",
		Conditions: []placement.Condition{condition(Progressing, "False", "StageUpdatingWaiting")},
		Clusters:   []ClusterStatus{{Name: "a", Conditions: []placement.Condition{condition(Succeeded, "True", "")}}, {Name: "b"}},
		Tasks: []TaskStatus{
			{Type: TimedWait}, {Type: Approval, Request: "run-after-canary", Conditions: []placement.Condition{condition("ApprovalRequestCreated", "True", "")}},
		},
	}
	if got := stage.Summary(); got != "Waiting (1 of 2 clusters), awaits the approval run-after-canary" {
		t.Error(got)
	}
	s := Status{Stages: []StageStatus{stage, {Name: "prod"}}}
	if got := s.Approvals(); !slices.Equal(got, []string{"run-after-canary"}) || s.Stage("none") != nil || s.Stage("prod").Phase() != PhasePending {
		t.Error(got)
	}
	stage.Tasks[1].Conditions = append(stage.Tasks[1].Conditions, condition("ApprovalRequestApproved", "True", ""))
	if got := stage.Summary(); strings.Contains(got, "awaits") {
		t.Error(got)
	}
}
