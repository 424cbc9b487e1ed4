package schedule

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Decision reports whether a cluster was picked for the placement, and why.
type Decision struct {
	Cluster  string `json:"clusterName"`
	Selected bool   `json:"selected"`
	Reason   string `json:"reason"`
	// Cause is the reason without the cluster's name, so that clusters with the same cause can be reported together. If Cause is empty, use Reason.
	Cause string `json:"-"`
	// Score is nil for PickFixed, for clusters that were filtered out, and for bindings whose score is unknown.
	Score *Score `json:"clusterScore,omitempty"`
}

// Score ranks a cluster. Any difference in topology spread outweighs any difference in affinity.
type Score struct {
	Affinity       int32 `json:"affinityScore"`
	TopologySpread int32 `json:"priorityScore"`
}

// compareScore orders scores from the lowest. A binding without a score is first, because it is removed first.
func compareScore(a, b *Score) int {
	switch {
	case a == nil || b == nil:
		return compareBool(a != nil, b != nil)
	default:
		return cmp.Or(cmp.Compare(a.TopologySpread, b.TopologySpread), cmp.Compare(a.Affinity, b.Affinity))
	}
}

// Limits limits the list of decisions, and does not affect which clusters are picked.
type Limits struct {
	// Decisions is the maximum number of decisions, Unselected the maximum number of those about clusters that were not picked.
	Decisions  int `json:"decisions"`
	Unselected int `json:"unselected"`
}

// KubeFleetLimits returns the limits of the policy snapshot's status.
func KubeFleetLimits() *Limits { return &Limits{Decisions: 1000, Unselected: 20} }

const (
	unschedulable = "ClusterUnschedulable, "
	pickedCause   = "picked by scheduling policy"

	fulfilledReason    = "SchedulingPolicyFulfilled"
	unfulfilledReason  = "SchedulingPolicyUnfulfilled"
	fulfilledMessage   = "found all cluster needed as specified by the scheduling policy, found %d cluster(s)"
	unfulfilledMessage = "could not find all clusters needed as specified by the scheduling policy, found %d cluster(s) instead"
)

func pickedDecision(cluster string, score *Score) Decision {
	return Decision{
		Cluster: cluster, Selected: true, Score: score, Cause: pickedCause,
		Reason: "Successfully scheduled resources for placement in " + strconv.Quote(cluster) + score.text() + ": " + pickedCause,
	}
}

func unpickedDecision(cluster string, score *Score) Decision {
	cause := "does not score high enough" + score.text()
	return Decision{Cluster: cluster, Score: score, Reason: "Cluster " + strconv.Quote(cluster) + " " + cause, Cause: cause}
}

// tiedCause explains why a cluster is not picked although a picked one has the same score: see [ranking.compare].
const tiedCause = "; a picked cluster has the same score, and clusters that are picked already come first, then the names from Z to A"

func (s *Score) text() string {
	if s == nil {
		return ""
	}
	return " (affinity score: " + strconv.Itoa(int(s.Affinity)) + ", topology spread score: " + strconv.Itoa(int(s.TopologySpread)) + ")"
}

type rejection struct {
	cluster int
	reason  string
}

type candidate struct {
	cluster int
	score   Score
}

func (s *scheduler) bindingDecision(b *trackedBinding) Decision {
	if b.Reason != "" {
		return Decision{Cluster: b.Cluster, Selected: true, Score: b.Score, Reason: b.Reason, Cause: pickedCause}
	}
	if b.Score == nil && s.policy.PlacementType != placement.PickN {
		return pickedDecision(b.Cluster, &Score{})
	}
	return pickedDecision(b.Cluster, b.Score)
}

// report sets the decisions and the condition (KubeFleet, newSchedulingDecisionsFromBindings). The decisions are about the bindings, then about the
// clusters that were not picked (best first), then about those that were filtered out (by name).
func (s *scheduler) report(wanted int, losers []candidate, filtered []rejection, selected ...[]*trackedBinding) {
	found := 0
	for _, list := range selected {
		found += len(list)
	}
	left, unselected := found+len(losers)+len(filtered), len(losers)+len(filtered)
	if s.limits != nil {
		left, unselected = max(0, s.limits.Decisions), max(0, s.limits.Unselected)
	}
	decisions := make([]Decision, 0, min(left, found+len(losers)+len(filtered)))
	seen := make([]bool, len(s.clusters))
	for _, list := range selected {
		for _, b := range list {
			if left > 0 {
				decisions = append(decisions, s.bindingDecision(b))
				seen[b.cluster] = true
				left--
			}
		}
	}
	winners := decisions
	scores := make([]Score, min(len(losers), left, unselected))
	for i := range scores {
		scores[i] = losers[i].score
		loser := unpickedDecision(s.clusters[losers[i].cluster].Name, &scores[i])
		if slices.ContainsFunc(winners, func(d Decision) bool { return d.Score != nil && *d.Score == scores[i] }) {
			loser.Cause += tiedCause
		}
		decisions = append(decisions, loser)
	}
	left, unselected = left-len(scores), unselected-len(scores)
	// The limits apply to all filtered clusters, including those that already have a decision.
	for _, r := range filtered[:min(len(filtered), left, unselected)] {
		if !seen[r.cluster] {
			decisions = append(decisions, Decision{Cluster: s.clusters[r.cluster].Name, Reason: r.reason})
		}
	}
	s.out.Decisions = decisions
	s.setCondition(wanted, found)
}

func (s *scheduler) setCondition(wanted, found int) {
	s.out.Wanted, s.out.Found, s.out.Reported = wanted, found, true
	s.out.Fulfilled = found >= wanted
	if s.out.Fulfilled {
		s.out.Reason, s.out.Message = fulfilledReason, fmt.Sprintf(fulfilledMessage, found)
	} else {
		s.out.Reason, s.out.Message = unfulfilledReason, fmt.Sprintf(unfulfilledMessage, found)
	}
}
