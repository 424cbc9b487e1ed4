package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

// clusterProblems are the clusters on which the placement as a whole has a problem.
type clusterProblems struct {
	// blocked are blocked by the rollout. notOverridden have overrides that could not be applied. unreachable did not respond. unfilled were requested by the
	// policy and are not available. leaving still have objects that are to be removed. behind are not known to have completed the change.
	blocked, notOverridden, unreachable, unfilled, leaving, behind []string
	// isNowhere reports that no cluster was picked.
	isNowhere bool
	messages  plain.Groups
}

// readProblems returns the problems in a status. waits means that objects must be available. If first is not nil, the error of an unreachable cluster is shown
// only the first time in a run.
func readProblems(status placement.Status, waits bool, first func(text string) bool) clusterProblems {
	out := clusterProblems{isNowhere: len(status.Conditions) > 0}
	for _, name := range slices.Sorted(maps.Keys(status.Clusters)) {
		cluster := status.Clusters[name]
		if cluster.IsScheduled() {
			out.isNowhere = false
		}
		for _, c := range cluster.Conditions {
			if list, text := out.classify(cluster, c); list != nil {
				if list == &out.unreachable && first != nil && !plain.IsFirstError([]string{name}, text, first) {
					text = "The cluster cannot be reached. " + plain.SameError
				}
				out.add(list, name, text)
			}
		}
		if c := cluster.Behind(waits); c != nil {
			out.add(&out.behind, name, describeCondition(*c))
		}
	}
	return out
}

func (p *clusterProblems) add(clusters *[]string, name, text string) {
	*clusters = append(*clusters, name)
	p.messages.AddCluster(name, text)
}

func describeCondition(c placement.Condition) string {
	text := fmt.Sprintf("%s is %s", c.Type, c.Status)
	if c.Reason != "" {
		text += " (" + c.Reason + ")"
	}
	if c.Message != "" {
		text += ": " + c.Message
	}
	return text
}

// classify returns the list to which a condition adds the cluster, and the message. If the condition is no problem, list is nil.
func (p *clusterProblems) classify(cluster placement.ClusterStatus, c placement.Condition) (list *[]string, text string) {
	switch {
	case c.Type == placement.Scheduled && c.Status == placement.False && cluster.HadObjects():
		return &p.leaving, "no longer picked (" + c.Message + "). Its objects are not removed yet"
	case c.Type == placement.Scheduled && c.Status == placement.False:
		return &p.unfilled, c.Message
	case c.Type == placement.RolloutStarted && c.Status == placement.False:
		return &p.blocked, c.Message
	case c.Type == placement.Overridden && c.Status == placement.False:
		return &p.notOverridden, c.Message
	case (c.Type == placement.Applied || c.Type == placement.DiffReported) && cluster.Unreachable && cluster.IsScheduled():
		return &p.unreachable, c.Message
	default:
		return nil, ""
	}
}

func (p *clusterProblems) onlyLeaving() bool {
	others := len(p.blocked) + len(p.notOverridden) + len(p.unreachable) + len(p.unfilled) + len(p.behind)
	return len(p.leaving) > 0 && others == 0 && !p.isNowhere
}

func (p *clusterProblems) any() bool { return len(p.messages.Texts) > 0 || p.isNowhere }

func (p *clusterProblems) counts() []string {
	var out []string
	for _, part := range []struct {
		clusters []string
		text     string
	}{
		{p.blocked, "blocked by the rollout"}, {p.notOverridden, "with overrides that cannot be applied"}, {p.unreachable, "not reached"},
		{p.unfilled, "not available"}, {p.leaving, "with objects still to remove"},
		{p.behind, "not complete"},
	} {
		if n := len(part.clusters); n > 0 {
			out = append(out, fmt.Sprintf("%s %s", words.Count(n, "cluster"), part.text))
		}
	}
	if p.isNowhere {
		out = append(out, "on no cluster")
	}
	return out
}

func (p *clusterProblems) section() *plain.Section {
	out := &plain.Section{Title: "Clusters:", Unit: "line", Reserve: 8}
	p.messages.Lines(out, "  ", maxNamed)
	return out
}
