package convert

import (
	"reflect"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// PolicyOn returns the host policy for a placement's policy. external is the spec of an existing policy that the provider did not create, or nil. If p equals
// the external policy as far as a placement can express it, PolicyOn returns the external policy. Otherwise it returns the fields of the placement together
// with the fields of the external policy that a placement cannot express.
func PolicyOn(p *placement.Policy, external *v1alpha1.PropagationPolicySpec) v1alpha1.PropagationPolicySpec {
	out := Policy(p)
	if external == nil {
		return out
	}
	was := Resume(*external)
	expressed := ToPolicy(was)
	before := Policy(&expressed)
	if EqualPolicy(before, out) {
		return was
	}
	out.SchedulingMode, out.SchedulingProfile, out.DisableFollowerScheduling = was.SchedulingMode, was.SchedulingProfile, was.DisableFollowerScheduling
	out.ReschedulePolicy = was.ReschedulePolicy
	if len(was.Placements) > 0 && len(out.Placements) > 0 {
		out.Tolerations = was.Tolerations
	}
	if reflect.DeepEqual(before.ClusterAffinity, out.ClusterAffinity) {
		out.ClusterAffinity, out.ClusterSelector = was.ClusterAffinity, was.ClusterSelector
	}
	return out
}

// UnexpressedFields returns the sorted names of the fields in which an external policy differs from the closest policy that a placement can express. live is
// the stored spec of the policy. UnexpressedFields compares only the fields below. An apply keeps these fields. If the configured policy changes, there are
// two exceptions: the apply keeps the tolerations only if the old and the new policy name clusters (PickFixed), and it keeps clusterAffinity and
// clusterSelector only if the terms are the same.
func UnexpressedFields(external v1alpha1.PropagationPolicySpec, live map[string]any) []string {
	was := normalize(Resume(external))
	expressed := ToPolicy(was)
	plain := normalize(Policy(&expressed))
	isNamed := len(was.Placements) > 0
	var out []string
	for name, differs := range map[string]bool{
		"schedulingMode":            was.SchedulingMode != plain.SchedulingMode,
		"schedulingProfile":         was.SchedulingProfile != plain.SchedulingProfile,
		"disableFollowerScheduling": was.DisableFollowerScheduling != plain.DisableFollowerScheduling,
		"reschedulePolicy":          !reflect.DeepEqual(was.ReschedulePolicy, plain.ReschedulePolicy),
		"tolerations":               !reflect.DeepEqual(was.Tolerations, plain.Tolerations),
		"clusterAffinity":           !ExpressesAffinity(was) || isNamed && len(was.ClusterAffinity) > 0,
		"clusterSelector":           isNamed && len(was.ClusterSelector) > 0,
		"autoMigration":             live["autoMigration"] != nil,
		"replicasStrategy":          live["replicasStrategy"] != nil && live["replicasStrategy"] != defaultReplicasStrategy,
		"placement.preferences":     hasPreferences(live["placement"]),
	} {
		if differs {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// defaultReplicasStrategy is the default of a policy's replicasStrategy, which the host stores in every policy.
const defaultReplicasStrategy = "Spread"

func hasPreferences(placements any) bool {
	list, _ := placements.([]any)
	return slices.ContainsFunc(list, func(p any) bool {
		entry, _ := p.(map[string]any)
		preferences, _ := entry["preferences"].(map[string]any)
		return len(preferences) > 0
	})
}

// ExpressesAffinity reports whether a placement can express the clusterAffinity of a policy. If it cannot, the terms of [ToPolicy] match more clusters than
// clusterAffinity.
func ExpressesAffinity(spec v1alpha1.PropagationPolicySpec) bool {
	return len(spec.Placements) > 0 || !slices.ContainsFunc(spec.ClusterAffinity, func(t v1alpha1.ClusterSelectorTerm) bool {
		return len(t.MatchFields) > 0 || len(t.MatchExpressions) == 0 || slices.ContainsFunc(t.MatchExpressions, isNumeric)
	})
}
