package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

// clusterProblems are the clusters on which the placement as a whole is not as it is to be, by what is to be told of them.
type clusterProblems struct {
	// held are those that the rollout has not come to, unoverridden those whose overrides could not be applied, unreached those that did not
	// answer, unfilled those that were asked for and could not be had, leaving those that were to be emptied and are not yet, behind those that were
	// not heard to be through.
	held, unoverridden, unreached, unfilled, leaving, behind []string
	// nowhere says that no cluster was picked at all.
	nowhere bool
	told    plain.Groups
}

// troubles reads a status.
func readProblems(status placement.Status, waits bool, first func(text string) bool) clusterProblems {
	out := clusterProblems{nowhere: len(status.Conditions) > 0}
	for _, name := range slices.Sorted(maps.Keys(status.Clusters)) {
		cluster := status.Clusters[name]
		if cluster.IsScheduled() {
			out.nowhere = false
		}
		for _, c := range cluster.Conditions {
			if list, text := out.kind(cluster, c); list != nil {
				if list == &out.unreached && first != nil && !plain.IsFirstError([]string{name}, text, first) {
					text = "The cluster cannot be reached. " + plain.SameError
				}
				out.add(list, name, text)
			}
		}
		if c := cluster.Behind(waits); c != nil {
			out.add(&out.behind, name, notThrough(*c))
		}
	}
	return out
}

func (t *clusterProblems) add(clusters *[]string, name, text string) {
	*clusters = append(*clusters, name)
	t.told.AddCluster(name, text)
}

// notThrough is what is to be told of a cluster by the condition that has not come true.
func notThrough(c placement.Condition) string {
	text := fmt.Sprintf("%s is %s", c.Type, c.Status)
	if c.Reason != "" {
		text += " (" + c.Reason + ")"
	}
	if c.Message != "" {
		text += ": " + c.Message
	}
	return text
}

// kind says which trouble a condition of a cluster is, if it is one, and what is to be told of it.
func (t *clusterProblems) kind(cluster placement.ClusterStatus, c placement.Condition) (list *[]string, text string) {
	switch {
	case c.Type == placement.Scheduled && c.Status == placement.False && cluster.HadObjects():
		return &t.leaving, "no longer picked (" + c.Message + "). Its objects are not removed yet"
	case c.Type == placement.Scheduled && c.Status == placement.False:
		return &t.unfilled, c.Message
	case c.Type == placement.RolloutStarted && c.Status == placement.False:
		return &t.held, c.Message
	case c.Type == placement.Overridden && c.Status == placement.False:
		return &t.unoverridden, c.Message
	case (c.Type == placement.Applied || c.Type == placement.DiffReported) && cluster.Unreachable && cluster.IsScheduled():
		return &t.unreached, c.Message
	default:
		return nil, ""
	}
}

// onlyLeft tells whether nothing is told but of clusters that are left.
func (t *clusterProblems) onlyLeft() bool {
	others := len(t.held) + len(t.unoverridden) + len(t.unreached) + len(t.unfilled) + len(t.behind)
	return len(t.leaving) > 0 && others == 0 && !t.nowhere
}

func (t *clusterProblems) any() bool { return len(t.told.Texts) > 0 || t.nowhere }

// counts say how many clusters there are of each sort.
func (t *clusterProblems) counts() []string {
	var out []string
	for _, part := range []struct {
		clusters []string
		text     string
	}{
		{t.held, "held back by the rollout"}, {t.unoverridden, "with overrides that cannot be applied"}, {t.unreached, "not reached"},
		{t.unfilled, "not to be had"}, {t.leaving, "still to be emptied"},
		{t.behind, "not through with it"},
	} {
		if n := len(part.clusters); n > 0 {
			out = append(out, fmt.Sprintf("%s %s", words.Count(n, "cluster"), part.text))
		}
	}
	if t.nowhere {
		out = append(out, "it is on no cluster")
	}
	return out
}

// section has a line for clusters of which the same is told.
func (t *clusterProblems) section() *plain.Section {
	out := &plain.Section{Title: "Clusters:", Unit: "line", Reserve: 8}
	t.told.Lines(out, "  ", maxNamed)
	return out
}
