package schedule

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Decision says of one cluster whether the placement goes there, and why.
type Decision struct {
	Cluster  string `json:"clusterName"`
	Selected bool   `json:"selected"`
	Reason   string `json:"reason"`
	// Cause is the reason without the cluster's name and scores, where it has these, so that clusters with the same one can be told together;
	// empty where it is the reason itself.
	Cause string `json:"-"`
	// Score is nil where nothing is scored (PickFixed, and clusters that were filtered out).
	Score *Score `json:"clusterScore,omitempty"`
}

// Score ranks a cluster. The topology spread is the stronger part: one point of it outweighs any affinity.
type Score struct {
	Affinity       int32 `json:"affinityScore"`
	TopologySpread int32 `json:"priorityScore"`
}

// compareScore puts a binding without a score before any other, since it is given up first.
func compareScore(a, b *Score) int {
	switch {
	case a == nil || b == nil:
		return compareBool(a != nil, b != nil)
	default:
		return cmp.Or(cmp.Compare(a.TopologySpread, b.TopologySpread), cmp.Compare(a.Affinity, b.Affinity))
	}
}

// Limits caps the list of decisions. It never changes what is picked.
type Limits struct {
	// Decisions is how many decisions there are at most, Unselected how many of them are about clusters that were not picked.
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

func picked(cluster string, score *Score) Decision {
	return Decision{
		Cluster: cluster, Selected: true, Score: score, Cause: pickedCause,
		Reason: "Successfully scheduled resources for placement in " + strconv.Quote(cluster) + score.text() + ": " + pickedCause,
	}
}

func notPicked(cluster string, score *Score) Decision {
	cause := "does not score high enough" + score.text()
	return Decision{Cluster: cluster, Score: score, Reason: "Cluster " + strconv.Quote(cluster) + " " + cause, Cause: cause}
}

// tied explains a cluster that is not picked although a picked one has the same score: see [contest.compare].
const tied = "; a picked cluster has the same score, and clusters that are picked already come first, then the names from Z to A"

func (s *Score) text() string {
	if s == nil {
		return ""
	}
	return " (affinity score: " + strconv.Itoa(int(s.Affinity)) + ", topology spread score: " + strconv.Itoa(int(s.TopologySpread)) + ")"
}

// rejection is a cluster that a filter refused, and the whole reason.
type rejection struct {
	cluster int
	reason  string
}

// candidate is a cluster that passed all filters.
type candidate struct {
	cluster int
	score   Score
}

// decision returns the one that a binding was picked by.
func (s *scheduler) decision(b *tracked) Decision {
	if b.Reason != "" {
		return Decision{Cluster: b.Cluster, Selected: true, Score: b.Score, Reason: b.Reason, Cause: pickedCause}
	}
	if b.Score == nil && s.policy.PlacementType != placement.PickN {
		return picked(b.Cluster, &Score{})
	}
	return picked(b.Cluster, b.Score)
}

// report makes the decisions and the condition (KubeFleet, newSchedulingDecisionsFromBindings): the bindings first, then the clusters that
// were not picked, the best first, then those that were filtered out, by name.
func (s *scheduler) report(wanted int, losers []candidate, filtered []rejection, selected ...[]*tracked) {
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
				decisions = append(decisions, s.decision(b))
				seen[b.cluster] = true
				left--
			}
		}
	}
	winners := decisions
	scores := make([]Score, min(len(losers), left, unselected))
	for i := range scores {
		scores[i] = losers[i].score
		loser := notPicked(s.clusters[losers[i].cluster].Name, &scores[i])
		if slices.ContainsFunc(winners, func(d Decision) bool { return d.Score != nil && *d.Score == scores[i] }) {
			loser.Cause += tied
		}
		decisions = append(decisions, loser)
	}
	left, unselected = left-len(scores), unselected-len(scores)
	// A cluster that has a decision already takes up a place none the less: the limits count what was looked at.
	for _, r := range filtered[:min(len(filtered), left, unselected)] {
		if !seen[r.cluster] {
			decisions = append(decisions, Decision{Cluster: s.clusters[r.cluster].Name, Reason: r.reason})
		}
	}
	s.out.Decisions = decisions
	s.conclude(wanted, found)
}

// conclude makes the condition Scheduled.
func (s *scheduler) conclude(wanted, found int) {
	s.out.Wanted, s.out.Found, s.out.Reported = wanted, found, true
	s.out.Fulfilled = found >= wanted
	if s.out.Fulfilled {
		s.out.Reason, s.out.Message = fulfilledReason, fmt.Sprintf(fulfilledMessage, found)
	} else {
		s.out.Reason, s.out.Message = unfulfilledReason, fmt.Sprintf(unfulfilledMessage, found)
	}
}
