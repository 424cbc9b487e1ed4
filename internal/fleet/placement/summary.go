package placement

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
)

// Summary is a status in a few lines: one for each condition and cluster, and one for each object of which there is something to say. What
// came from clusters can be printed as it is.
type Summary struct {
	// Conditions of the placement are keyed by type, such as Applied: "True", or status and reason ("False: ApplyFailed").
	Conditions map[string]string
	// PlacementStatuses are keyed by cluster name. Clusters that PickN asks for and that are not to be had have one entry, "(2 unfilled)".
	PlacementStatuses map[string]Phase
	// A line for an object and cluster, in the order of the clusters, such as "member-2: Deployment web-2/web: NotTakenOver".
	FailedPlacements, DriftedPlacements, DiffedPlacements []string
}

// MaxLines is how many lines a list of a summary has; the last one counts what does not fit.
const MaxLines = 50

// Summarize makes the summary of a status.
func (s Status) Summarize() Summary {
	out := Summary{Conditions: map[string]string{}, PlacementStatuses: map[string]Phase{}}
	for _, c := range s.Conditions {
		out.Conditions[string(ShortType(c.Type))] = c.Summary()
	}
	for _, name := range slices.Sorted(maps.Keys(s.Clusters)) {
		cluster := s.Clusters[name]
		out.PlacementStatuses[printable.Line(name)] = Phase(printable.Line(string(cluster.Phase())))
		for _, p := range cluster.FailedPlacements {
			out.FailedPlacements = append(out.FailedPlacements, line(name, p.Identifier, p.Condition.Reason))
		}
		for _, p := range cluster.DriftedPlacements {
			out.DriftedPlacements = append(out.DriftedPlacements, line(name, p.Identifier, paths(p.ObservedDrifts)))
		}
		for _, p := range cluster.DiffedPlacements {
			out.DiffedPlacements = append(out.DiffedPlacements, line(name, p.Identifier, paths(p.ObservedDiffs)))
		}
	}
	if s.Unfilled > 0 {
		out.PlacementStatuses[fmt.Sprintf("(%d unfilled)", s.Unfilled)] = PhaseScheduleFailed
	}
	for _, lines := range []*[]string{&out.FailedPlacements, &out.DriftedPlacements, &out.DiffedPlacements} {
		*lines = counted(*lines)
	}
	return out
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

// counted is never nil, so that the length of the list can be asked for.
func counted(lines []string) []string {
	if len(lines) <= MaxLines {
		return append([]string{}, lines...)
	}
	return append(slices.Clone(lines[:MaxLines-1]), fmt.Sprintf("and %d more", len(lines)-MaxLines+1))
}
