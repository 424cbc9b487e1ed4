package schedule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Cluster is what the scheduler knows of a cluster.
type Cluster struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels,omitempty"`
	Taints []member.Taint    `json:"taints,omitempty"`
	// Ineligible says why the cluster cannot take part now; empty for one that can.
	Ineligible string `json:"ineligible,omitempty"`
}

// Decision says of one cluster whether the placement goes there, and why.
type Decision struct {
	Cluster  string `json:"clusterName"`
	Selected bool   `json:"selected"`
	Reason   string `json:"reason"`
	// Score is nil where nothing is scored (PickFixed, and clusters that were filtered out).
	Score *Score `json:"clusterScore,omitempty"`
}

// Score ranks a cluster.
type Score struct {
	Affinity       int32 `json:"affinityScore"`
	TopologySpread int32 `json:"priorityScore"`
}

// Outcome is what became of a scheduling cycle.
type Outcome struct {
	// Decisions has the selected clusters first.
	Decisions []Decision
	// Wanted is how many clusters the policy asks for; Fulfilled whether it got them.
	Wanted    int
	Fulfilled bool
}

// Selected returns the names of the selected clusters, in the order in which they were picked.
func (o Outcome) Selected() []string {
	var names []string
	for _, d := range o.Decisions {
		if d.Selected {
			names = append(names, d.Cluster)
		}
	}
	return names
}

// Run decides for a policy with its defaults filled in. held are the clusters that the same policy picked before: they are kept
// whatever has become of them (KubeFleet prefers stable placements). It returns an error for a label selector that is not valid.
func Run(policy placement.Policy, clusters []Cluster, held []string) (Outcome, error) {
	clusters = slices.Clone(clusters)
	slices.SortFunc(clusters, func(a, b Cluster) int { return strings.Compare(a.Name, b.Name) })
	switch policy.PlacementType {
	case placement.PickFixed:
		return pickFixed(policy.ClusterNames, clusters), nil
	case placement.PickAll:
		return pickAll(policy, clusters, held)
	default:
		return Outcome{}, fmt.Errorf("the placement type %q is not supported by this engine yet", policy.PlacementType)
	}
}

func picked(cluster string, score *Score) Decision {
	scores := ""
	if score != nil {
		scores = fmt.Sprintf(" (affinity score: %d, topology spread score: %d)", score.Affinity, score.TopologySpread)
	}
	return Decision{
		Cluster: cluster, Selected: true, Score: score,
		Reason: fmt.Sprintf("Successfully scheduled resources for placement in %q%s: picked by scheduling policy", cluster, scores),
	}
}
