package placement

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// Summary is a status in a few lines. It contains only printable text.
type Summary struct {
	// Conditions of the placement are keyed by type, such as Applied: "True", or status and reason ("False: ApplyFailed").
	Conditions map[string]string
	// Phases are keyed by cluster name. Clusters that PickN requests and that could not be found share one entry, "(2 unfilled)".
	Phases map[string]Phase
	// FailedPlacements has a line for each object and cluster, sorted by cluster, such as "member-2: Deployment web-2/web: NotTakenOver".
	FailedPlacements []string
}

// Summarize returns the summary of a status.
func (s Status) Summarize() Summary {
	out := Summary{Conditions: map[string]string{}, Phases: map[string]Phase{}}
	for _, c := range s.Conditions {
		out.Conditions[string(ShortType(c.Type))] = c.Summary()
	}
	for _, name := range slices.Sorted(maps.Keys(s.Clusters)) {
		cluster := s.Clusters[name]
		out.Phases[printable.Line(name)] = Phase(printable.Line(string(cluster.Phase())))
		for _, p := range cluster.FailedPlacements {
			out.FailedPlacements = append(out.FailedPlacements, formatProblem(name, p.Identifier, p.Condition.Reason))
		}
	}
	if s.Unfilled > 0 {
		out.Phases[s.unfilledLabel()] = PhaseScheduleFailed
	}
	return out
}

func (s Status) unfilledLabel() string { return fmt.Sprintf("(%d unfilled)", s.Unfilled) }

// Phase returns the phase of the placement as a whole: the worst phase of its clusters. Without clusters, it is derived from the placement's own
// conditions, in the same way as for a cluster.
func (s Status) Phase() Phase {
	phases := slices.Sorted(maps.Values(s.Summarize().Phases))
	if len(phases) > 0 {
		return slices.MinFunc(phases, func(a, b Phase) int { return a.rank() - b.rank() })
	}
	conditions := slices.Clone(s.Conditions)
	for i := range conditions {
		conditions[i].Type = string(ShortType(conditions[i].Type))
	}
	return Phase(printable.Line(string(ClusterStatus{Conditions: conditions}.Phase())))
}

const maxProblems = 3

// Problems returns one printable line that names the first objects and clusters with problems, and counts the others. Objects that were deleted on the
// cluster come first. It returns "" if there are no problems.
func (s Status) Problems() string {
	var out, deleted []string
	for _, name := range slices.Sorted(maps.Keys(s.Clusters)) {
		cluster, failed := s.Clusters[name], map[manifest.Key]bool{}
		before := len(out) + len(deleted)
		for _, p := range cluster.FailedPlacements {
			failed[p.Key()] = true
			out = append(out, formatProblem(name, p.Identifier, p.Condition.Reason))
		}
		for _, p := range cluster.DriftedPlacements {
			problem := formatProblem(name, p.Identifier, describeDetails("drifted", p.ObservedDrifts))
			switch {
			case failed[p.Key()]:
			case isMissing(p.ObservedDrifts):
				deleted = append(deleted, problem)
			default:
				out = append(out, problem)
			}
		}
		for _, p := range cluster.DiffedPlacements {
			if !failed[p.Key()] {
				out = append(out, formatProblem(name, p.Identifier, describeDetails("differs", p.ObservedDiffs)))
			}
		}
		if phase := cluster.Phase(); len(out)+len(deleted) == before && !phase.IsComplete() {
			out = append(out, printable.Line(name+": "+string(phase)))
		}
	}
	if s.Unfilled > 0 {
		out = append(out, s.unfilledLabel()+": "+string(PhaseScheduleFailed))
	}
	out = append(deleted, out...)
	if more := len(out) - maxProblems; more > 0 {
		out = append(out[:maxProblems], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, "; ")
}

// Summary returns the condition in a few words: "True", or status and reason.
func (c Condition) Summary() string {
	if c.Status == True || c.Reason == "" {
		return printable.Line(c.Status)
	}
	return printable.Line(c.Status + ": " + c.Reason)
}

func formatProblem(cluster string, id manifest.Identifier, what string) string {
	return printable.Line(cluster + ": " + id.String() + ": " + what)
}

// isMissing reports whether the member does not have the object at all.
func isMissing(details []PatchDetail) bool {
	return len(details) == 1 && details[0].Path == "/" && details[0].ValueInMember == ""
}

func describeDetails(what string, details []PatchDetail) string {
	if isMissing(details) {
		return "missing"
	}
	paths := make([]string, len(details))
	for i, d := range details {
		paths[i] = d.Path
	}
	return what + ": " + words.First(paths, 3)
}
