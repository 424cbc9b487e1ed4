package stagedupdate

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/naming"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
)

// Limits of the API.
const (
	maxStages = 31
	maxName   = 63
	maxBefore = 1
	maxAfter  = 2
)

var (
	stageName      = regexp.MustCompile(`^[a-z0-9]+$`)
	maxConcurrency = regexp.MustCompile(`^((100|[1-9][0-9]?)%|[1-9][0-9]*)$`)
	waitTime       = regexp.MustCompile(`^(?:(?:0|[1-9][0-9]*)(\.[0-9]+)?(?:s|m|h))+$`)
)

type problems []placement.Problem

func (p *problems) add(at placement.Path, format string, args ...any) {
	*p = append(*p, placement.Problem{Path: at, Message: fmt.Sprintf(format, args...)})
}

// Validate lists the problems of a strategy, by the rules of the API.
func Validate(s Strategy) []placement.Problem {
	var out problems
	at := placement.At("stages")
	if len(s.Stages) == 0 || len(s.Stages) > maxStages {
		out.add(at, "there are %d stages; a strategy has 1 to %d", len(s.Stages), maxStages)
	}
	seen := map[string]int{}
	for i, stage := range s.Stages {
		here := at.Index(i)
		if message := ValidateStageName(stage.Name); message != "" {
			out.add(here.Attribute("name"), "%q is not a usable name: %s", stage.Name, message)
		}
		if first, found := seen[stage.Name]; found {
			out.add(here.Attribute("name"), "stage %d also has the name %q", first, stage.Name)
		} else {
			seen[stage.Name] = i
		}
		if _, err := rollout.ParseCount(stage.MaxConcurrency); stage.MaxConcurrency != "" && (err != nil || !maxConcurrency.MatchString(stage.MaxConcurrency)) {
			out.add(here.Attribute("max_concurrency"), "%q is neither a number of at most 32 bits, 1 or more, nor a percentage from 1%% to 100%%", stage.MaxConcurrency)
		}
		if key := stage.SortingLabelKey; key != "" {
			if message := naming.LabelKey(key); message != "" {
				out.add(here.Attribute("sorting_label_key"), "%q is not a label key: %s", key, message)
			}
		}
		out = append(out, placement.ValidateLabelSelector(here.Attribute("label_selector"), stage.LabelSelector)...)
		out.checkTasks(here.Attribute("before_stage_tasks"), stage.BeforeStageTasks, maxBefore)
		out.checkTasks(here.Attribute("after_stage_tasks"), stage.AfterStageTasks, maxAfter)
		if slices.ContainsFunc(stage.BeforeStageTasks, func(t Task) bool { return t.Type == TimedWait }) {
			out.add(here.Attribute("before_stage_tasks"), "a TimedWait can only come after a stage")
		}
	}
	return out
}

// ValidateUse warns about strategies that the API accepts although they are probably not intended.
func ValidateUse(s Strategy) []placement.Problem {
	var out []placement.Problem
	for i, stage := range s.Stages {
		if stage.LabelSelector == nil {
			out = append(out, placement.Problem{
				Path: placement.At("stages").Index(i), Warning: true,
				Message: "without a label_selector no cluster is in the stage: to mean all clusters, set label_selector = {}",
			})
		}
	}
	return out
}

// isWaitTime reports whether the API accepts a text as a wait time, and Go can represent it as a duration.
func isWaitTime(text string) bool {
	_, err := time.ParseDuration(text)
	return err == nil && waitTime.MatchString(text)
}

// ValidateStageName returns the problem of a stage's name, or "" if it is valid.
func ValidateStageName(name string) string {
	if len(name) <= maxName && stageName.MatchString(name) {
		return ""
	}
	return fmt.Sprintf("use a-z and 0-9, 1 to %d characters", maxName)
}

// ValidateSnapshotIndex returns the problem of a snapshot's index, which the hub writes as a label, or "" if it is valid.
func ValidateSnapshotIndex(index string) string {
	if number, err := strconv.ParseInt(index, 10, 32); err == nil && number >= 0 && strconv.FormatInt(number, 10) == index {
		return ""
	}
	return "it must be a whole number, 0 or more, in the format of the hub"
}

func (p *problems) checkTasks(at placement.Path, tasks []Task, most int) {
	if len(tasks) > most {
		p.add(at, "there are %d tasks; at most %d are allowed", len(tasks), most)
	}
	seen := map[TaskType]bool{}
	for i, t := range tasks {
		here := at.Index(i)
		switch {
		case placement.ProblemOfValue(t.Type) != "":
			p.add(here.Attribute("type"), "%s", placement.ProblemOfValue(t.Type))
		case t.Type == Approval && t.WaitTime != "":
			p.add(here.Attribute("wait_time"), "an Approval has no wait_time: it waits until it is approved")
		case t.Type == TimedWait && !isWaitTime(t.WaitTime):
			p.add(here.Attribute("wait_time"), "a TimedWait needs a wait_time such as 1h30m, in hours, minutes and seconds; it is %q", t.WaitTime)
		}
		if seen[t.Type] {
			p.add(here.Attribute("type"), "there is another task of type %s", t.Type)
		}
		seen[t.Type] = true
	}
}

// ValidateChange lists the changes of state that the API rejects.
func ValidateChange(before, after Run) []placement.Problem {
	var out problems
	switch was, is := before.Defaulted().State, after.Defaulted().State; {
	case was == Initialize && is == Stop:
		out.add(placement.At("state"), "an initialized run has not started, so it cannot be stopped: set %q to start it", Started)
	case was != Initialize && is == Initialize:
		out.add(placement.At("state"), "a run that was started cannot be initialized again: create another run with another name")
	}
	return out
}
