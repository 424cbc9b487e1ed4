package placement

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
)

// Summary is a status in a few lines. It has printable texts only.
type Summary struct {
	// Conditions of the placement are keyed by type, such as Applied: "True", or status and reason ("False: ApplyFailed").
	Conditions map[string]string
	// Phases are keyed by cluster name. Clusters that PickN asks for and that cannot be had have one entry, "(2 unfilled)".
	Phases map[string]Phase
	// FailedPlacements has a line for an object and cluster, in the order of the clusters, such as "member-2: Deployment web-2/web: NotTakenOver".
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
			out.FailedPlacements = append(out.FailedPlacements, line(name, p.Identifier, p.Condition.Reason))
		}
	}
	if s.Unfilled > 0 {
		out.Phases[s.unfilled()] = PhaseScheduleFailed
	}
	return out
}

// unfilled stands for the clusters that the policy asks for and that have no name.
func (s Status) unfilled() string { return fmt.Sprintf("(%d unfilled)", s.Unfilled) }

// Phase returns the phase of the placement as a whole: that of the cluster on which it is furthest from complete. Without clusters, it is the last
// condition of the placement that is True, or the reason of the first one that is not.
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

// maxProblems is how many problems [Status.Problems] names.
const maxProblems = 3

// Problems returns one printable line that names the objects and clusters which are not as they are to be. It counts all but the first ones. It is empty
// if there is no problem.
func (s Status) Problems() string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(s.Clusters)) {
		cluster, failed := s.Clusters[name], map[manifest.Key]bool{}
		before := len(out)
		for _, p := range cluster.FailedPlacements {
			failed[p.Key()] = true
			out = append(out, line(name, p.Identifier, p.Condition.Reason))
		}
		for _, p := range cluster.DriftedPlacements {
			if !failed[p.Key()] {
				out = append(out, line(name, p.Identifier, "drifted: "+paths(p.ObservedDrifts)))
			}
		}
		for _, p := range cluster.DiffedPlacements {
			if !failed[p.Key()] {
				out = append(out, line(name, p.Identifier, "differs: "+paths(p.ObservedDiffs)))
			}
		}
		if phase := cluster.Phase(); len(out) == before && !phase.IsComplete() {
			out = append(out, printable.Line(name+": "+string(phase)))
		}
	}
	if s.Unfilled > 0 {
		out = append(out, s.unfilled()+": "+string(PhaseScheduleFailed))
	}
	if more := len(out) - maxProblems; more > 0 {
		out = append(out[:maxProblems], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, "; ")
}

// Summary is the condition in a few words: "True", or status and reason.
func (c Condition) Summary() string {
	if c.Status == True || c.Reason == "" {
		return printable.Line(c.Status)
	}
	return printable.Line(c.Status + ": " + c.Reason)
}

func line(cluster string, id manifest.Identifier, what string) string {
	return printable.Line(cluster + ": " + id.String() + ": " + what)
}

// paths are the fields that differ, of many the first ones.
func paths(details []PatchDetail) string {
	const few = 3
	var out []string
	for _, d := range details[:min(len(details), few)] {
		out = append(out, d.Path)
	}
	text := strings.Join(out, ", ")
	if more := len(details) - few; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
