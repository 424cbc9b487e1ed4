package predict

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
)

// Candidate is the state of a member that the host's scheduler considers.
type Candidate struct {
	Name   string
	Labels map[string]string
	Taints []v1alpha1.Taint
	// Joined, Ready and Leaving are the state of the registration.
	Joined, Ready, Leaving bool
	// Types are the kinds that the member serves. Nil means that they are unknown, and that the member counts as serving all kinds.
	Types     []v1alpha1.APIResource
	Resources v1alpha1.Resources
}

// Unit is an object to schedule: its kind, and the clusters that the scheduler has picked before.
type Unit struct {
	Kind    schema.GroupVersionKind
	Current map[string]bool
	// Sticky reports that the scheduler keeps the current clusters, for example because the policy disables rescheduling.
	Sticky bool
}

// Pick is the scheduler's decision for one cluster.
type Pick struct {
	Selected bool
	// Reason explains the decision. Cause explains it without the name of the cluster.
	Reason, Cause string
}

// Schedule reproduces the decisions of KubeAdmiral's scheduler (pkg/controllers/scheduler), by cluster, with its default plugins. It ignores custom migrations,
// and the requests of the object for GPUs, which affect the scores. affinity is the affinity annotation of the object.
func Schedule(policy v1alpha1.PropagationPolicySpec, affinity v1alpha1.Affinity, unit Unit, candidates []Candidate) map[string]Pick {
	out := map[string]Pick{}
	if unit.Sticky && len(unit.Current) > 0 {
		for _, c := range candidates {
			if unit.Current[c.Name] {
				out[c.Name] = picked(c.Name, "")
			} else {
				out[c.Name] = Pick{Reason: keeps, Cause: keeps}
			}
		}
		return out
	}
	var fit []Candidate
	for _, c := range candidates {
		if why := unfitReason(policy, affinity, unit, c); why != "" {
			out[c.Name] = Pick{Reason: why, Cause: why}
			continue
		}
		fit = append(fit, c)
	}
	scores := scoreClusters(policy, affinity, fit)
	slices.SortFunc(fit, func(a, b Candidate) int {
		return cmp.Or(-cmp.Compare(scores[a.Name], scores[b.Name]), cmp.Compare(a.Name, b.Name))
	})
	most := len(fit)
	if policy.MaxClusters != nil {
		most = max(0, min(most, int(*policy.MaxClusters)))
	}
	for i, c := range fit {
		text := ""
		if policy.MaxClusters != nil {
			text = " (score " + strconv.FormatInt(scores[c.Name], 10) + ")"
		}
		if i < most {
			out[c.Name] = picked(c.Name, text)
			continue
		}
		pick := Pick{Reason: "Cluster " + strconv.Quote(c.Name) + " does not score high enough" + text, Cause: "does not score high enough" + text}
		if most > 0 && scores[c.Name] == scores[fit[most-1].Name] {
			pick.Cause += "; a picked cluster has the same score, and its name comes first"
		}
		out[c.Name] = pick
	}
	return out
}

const (
	pickedCause = "picked by scheduling policy"
	keeps       = "the policy keeps the clusters that were picked before"
)

func picked(name, score string) Pick {
	return Pick{
		Selected: true, Cause: pickedCause,
		Reason: "Successfully scheduled resources for placement in " + strconv.Quote(name) + score + ": " + pickedCause,
	}
}

// unfitReason returns the reason of the first filter that excludes a cluster, or "" if no filter does.
func unfitReason(policy v1alpha1.PropagationPolicySpec, affinity v1alpha1.Affinity, unit Unit, c Candidate) string {
	current := unit.Current[c.Name]
	taint := findUntolerated(policy.Tolerations, c.Taints, current)
	switch {
	case !c.Joined:
		return "cluster has not joined"
	case !serves(c, unit.Kind):
		return fmt.Sprintf("cluster does not serve %s of %s", unit.Kind.Kind, unit.Kind.GroupVersion())
	case taint != nil:
		return fmt.Sprintf("cluster has the taint %s:%s, which is not tolerated", taint.Key, taint.Effect)
	case len(policy.Placements) > 0 && !slices.Contains(policy.Placements, v1alpha1.DesiredPlacement{Cluster: c.Name}):
		return "cluster is not among those that the policy names"
	case !labels.SelectorFromSet(policy.ClusterSelector).Matches(labels.Set(c.Labels)) || !matchesAny(termsOf(policy, affinity), c):
		return "cluster does not match with any of the required cluster affinity terms"
	case !c.Ready && !current:
		return "cluster is not ready"
	case c.Leaving:
		return "cluster is leaving"
	}
	return ""
}

// termsOf returns the required terms. If the objects have an affinity annotation, its terms replace those of the policy.
func termsOf(policy v1alpha1.PropagationPolicySpec, affinity v1alpha1.Affinity) []v1alpha1.ClusterSelectorTerm {
	if len(affinity.ClusterAffinity.Preferred) == 0 {
		return policy.ClusterAffinity
	}
	if affinity.ClusterAffinity.Required == nil {
		return nil
	}
	return affinity.ClusterAffinity.Required.ClusterSelectorTerms
}

func serves(c Candidate, kind schema.GroupVersionKind) bool {
	return kind.Kind == "" || c.Types == nil || slices.ContainsFunc(c.Types, func(r v1alpha1.APIResource) bool {
		return r.Group == kind.Group && r.Version == kind.Version && r.Kind == kind.Kind
	})
}

// findUntolerated returns the first taint that excludes a cluster. If the cluster already has the object, only NoExecute taints count.
func findUntolerated(tolerations []v1alpha1.Toleration, taints []v1alpha1.Taint, current bool) *v1alpha1.Taint {
	for _, taint := range taints {
		counts := taint.Effect == v1alpha1.NoExecute || taint.Effect == v1alpha1.NoSchedule && !current
		if counts && !tolerated(tolerations, taint) {
			return &taint
		}
	}
	return nil
}

func tolerated(tolerations []v1alpha1.Toleration, taint v1alpha1.Taint) bool {
	return slices.ContainsFunc(tolerations, func(t v1alpha1.Toleration) bool {
		switch {
		case t.Effect != "" && t.Effect != taint.Effect, t.Key != "" && t.Key != taint.Key, t.Key == "" && t.Operator != "Exists":
			return false
		case t.Operator == "Exists":
			return true
		default:
			return t.Value == taint.Value
		}
	})
}

// matchesAny reports whether a cluster matches any of the terms. An empty list matches every cluster, and an empty term matches no cluster.
func matchesAny(terms []v1alpha1.ClusterSelectorTerm, c Candidate) bool {
	return len(terms) == 0 || slices.ContainsFunc(terms, func(t v1alpha1.ClusterSelectorTerm) bool {
		if len(t.MatchExpressions) == 0 && len(t.MatchFields) == 0 {
			return false
		}
		for _, f := range t.MatchFields {
			named := len(f.Values) == 1 && f.Values[0] == c.Name
			if f.Key != "metadata.name" || len(f.Values) != 1 || (f.Operator == "In") != named || f.Operator != "In" && f.Operator != "NotIn" {
				return false
			}
		}
		return matchesAll(t.MatchExpressions, c.Labels)
	})
}

var operators = map[string]selection.Operator{
	"In": selection.In, "NotIn": selection.NotIn, "Exists": selection.Exists, "DoesNotExist": selection.DoesNotExist, "Gt": selection.GreaterThan,
	"Lt": selection.LessThan,
}

func matchesAll(expressions []v1alpha1.ClusterSelectorRequirement, of map[string]string) bool {
	return !slices.ContainsFunc(expressions, func(e v1alpha1.ClusterSelectorRequirement) bool {
		requirement, err := labels.NewRequirement(e.Key, operators[e.Operator], e.Values)
		return err != nil || !requirement.Matches(labels.Set(of))
	})
}

// maxScore is the maximum score of a plugin.
const maxScore = 100

func scoreClusters(policy v1alpha1.PropagationPolicySpec, affinity v1alpha1.Affinity, clusters []Candidate) map[string]int64 {
	taints, preferred, out := map[string]int64{}, map[string]int64{}, map[string]int64{}
	for _, c := range clusters {
		for _, t := range c.Taints {
			if t.Effect == v1alpha1.PreferNoSchedule && !tolerated(policy.Tolerations, t) {
				taints[c.Name]++
			}
		}
		for _, p := range affinity.ClusterAffinity.Preferred {
			if p.Weight != 0 && matchesAll(p.Preference.MatchExpressions, c.Labels) {
				preferred[c.Name] += int64(p.Weight)
			}
		}
		out[c.Name] = balanceScore(c.Resources) + leastAllocatedScore(c.Resources)
	}
	worst, best := highest(taints), highest(preferred)
	for name := range out {
		out[name] += maxScore
		if worst > 0 {
			out[name] -= maxScore * taints[name] / worst
		}
		if best > 0 {
			out[name] += maxScore * preferred[name] / best
		}
	}
	return out
}

func highest(scores map[string]int64) int64 {
	if len(scores) == 0 {
		return 0
	}
	return max(0, slices.Max(slices.Collect(maps.Values(scores))))
}

var scoredResources = [...]string{"cpu", "memory"}

func resourceUsage(r v1alpha1.Resources, name string) (requested, capacity int64) {
	allocatable, available := r.Allocatable[name], r.Available[name]
	if name == "cpu" {
		return allocatable.MilliValue() - available.MilliValue(), allocatable.MilliValue()
	}
	return allocatable.Value() - available.Value(), allocatable.Value()
}

// balanceScore returns a higher score the closer the usage ratios of the cluster's resources are to each other.
func balanceScore(r v1alpha1.Resources) int64 {
	var fractions [len(scoredResources)]float64
	for i, name := range scoredResources {
		requested, capacity := resourceUsage(r, name)
		if capacity == 0 || requested >= capacity {
			return 0
		}
		fractions[i] = float64(requested) / float64(capacity)
	}
	return int64((1 - math.Abs(fractions[0]-fractions[1])/2) * maxScore)
}

// leastAllocatedScore returns a higher score the less of the cluster's resources is used.
func leastAllocatedScore(r v1alpha1.Resources) int64 {
	var sum int64
	for _, name := range scoredResources {
		if requested, capacity := resourceUsage(r, name); capacity != 0 && requested <= capacity {
			sum += (capacity - requested) * maxScore / capacity
		}
	}
	return sum / int64(len(scoredResources))
}

// PickedReason returns the reason for a cluster that was picked.
func PickedReason(name string) string { return picked(name, "").Reason }
