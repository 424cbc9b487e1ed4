package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Shortfall is what an apply did not get done.
type Shortfall struct {
	// Refused objects exist already and were not taken over, as the mode has it; Drifted ones were left as others have changed them, as
	// the user asked; Unreported ones could not be compared under strategy type ReportDiff; Failed ones could not be written; Waiting ones
	// are not available; Held are clusters that the rollout has not come to; Unreached ones did not answer; Unfilled ones were asked for and
	// not to be had; Pending are clusters on which somebody has changed objects since.
	Refused, Drifted, Unreported, Failed, Waiting, Held, Unreached, Unfilled, Pending int
	text                                                                              *lines
}

// NewShortfall reads a status.
func NewShortfall(status placement.Status) Shortfall {
	out := Shortfall{text: &lines{}}
	for _, name := range slices.Sorted(maps.Keys(status.Clusters)) {
		cluster := status.Clusters[name]
		if c, found := cluster.Condition(placement.Scheduled); found && c.Status == placement.False {
			out.Unfilled++
			out.text.add("  %s: %s", name, c.Message)
		}
		for _, conditionType := range []string{placement.RolloutStarted, placement.Overridden} {
			if c, found := cluster.Condition(conditionType); found && c.Status == placement.False {
				if conditionType == placement.RolloutStarted {
					out.Held++
				} else {
					out.Failed++
				}
				out.text.add("  %s: %s", name, c.Message)
			}
		}
		for _, conditionType := range []string{placement.Applied, placement.DiffReported} {
			if c, found := cluster.Condition(conditionType); found && cluster.Unreachable {
				out.Unreached++
				out.text.add("  %s: %s", name, c.Message)
			}
		}
		if cluster.Pending() {
			out.Pending++
		}
		for _, failed := range cluster.FailedPlacements {
			switch {
			case failed.Condition.Type == placement.Available:
				out.Waiting++
			case failed.Condition.Reason == takeover.ReasonNotTakenOver || failed.Condition.Reason == takeover.ReasonFailedToTakeOver:
				out.Refused++
			case failed.Condition.Reason == takeover.ReasonFoundDrifts || failed.Condition.Reason == takeover.ReasonFoundDriftsInDegradedMode:
				out.Drifted++
			case failed.Condition.Type == placement.DiffReported:
				out.Unreported++
			default:
				out.Failed++
			}
			out.text.add("  %s  %s  %s: %s", name, failed.Identifier, failed.Condition.Reason, failed.Condition.Message)
		}
	}
	return out
}

// Incomplete tells whether an apply is left to do: something failed or did not become available. Objects that the mode leaves alone and
// clusters that cannot be had are as the user asked for.
func (s Shortfall) Incomplete() bool { return s.Failed+s.Waiting+s.Held+s.Pending > 0 }

// Outcome tells what an apply left undone. failures says how grave that is: "warn" or "error"; so does refusals for objects that were not
// taken over.
func Outcome(diags *diag.Diagnostics, name string, result *engine.Result, err error, failures, refusals string) {
	for _, warning := range result.Warnings {
		diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("Placement %q: something was left behind", name), warning)
	}
	short := NewShortfall(result.Status)
	grave := failures == "error" && (short.Incomplete() || err != nil) || refusals == "error" && short.Refused > 0
	if short == (Shortfall{text: short.text}) && err == nil {
		return
	}
	summary := fmt.Sprintf("Placement %q is not complete: %s", name, short.summary())
	detail := short.text.String()
	if err != nil {
		detail += "\n\n" + err.Error()
	}
	switch {
	case result.TimedOut:
		detail += "\n\nTime ran out before every object was available. The next apply goes on; \"timeouts\" gives it more time."
	case short.Incomplete() || err != nil:
		detail += "\n\nThe next apply goes on with what is missing."
	}
	if grave {
		diags.AddAttributeError(path.Root("name"), summary, detail)
		return
	}
	diags.AddAttributeWarning(path.Root("name"), summary, detail)
}

func (s Shortfall) summary() string {
	out := ""
	for _, part := range []struct {
		n    int
		text string
	}{
		{s.Refused, "%d not taken over"}, {s.Drifted, "%d left as changed on the cluster"}, {s.Unreported, "%d not compared"},
		{s.Failed, "%d not applied"}, {s.Waiting, "%d not available yet"},
		{s.Held, "%d clusters held back by the rollout"},
		{s.Unreached, "%d clusters not reached"}, {s.Unfilled, "%d clusters not to be had"},
	} {
		if part.n == 0 {
			continue
		}
		if out != "" {
			out += ", "
		}
		out += fmt.Sprintf(part.text, part.n)
	}
	if out == "" {
		return "its records could not be written"
	}
	return out
}

// lines collects text and counts what does not fit.
type lines struct {
	text []string
	more int
}

func (l *lines) add(format string, args ...any) {
	if len(l.text) >= maxLines {
		l.more++
		return
	}
	l.text = append(l.text, fmt.Sprintf(format, args...))
}

func (l *lines) String() string {
	if l.more > 0 {
		return strings.Join(l.text, "\n") + fmt.Sprintf("\n... and %s more.", plural(l.more, "line"))
	}
	return strings.Join(l.text, "\n")
}
