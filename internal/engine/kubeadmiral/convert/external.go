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

// UnexpressedFields returns the sorted names of the fields in which an external policy differs from the closest policy that a placement can express. It
// compares only the five fields below. An apply does not change them, with one exception: if the policy itself changes, the apply keeps the tolerations only if
// the old and the new policy name clusters (PickFixed).
func UnexpressedFields(external v1alpha1.PropagationPolicySpec) []string {
	was := normalize(Resume(external))
	expressed := ToPolicy(was)
	plain := normalize(Policy(&expressed))
	var out []string
	for name, differs := range map[string]bool{
		"schedulingMode":            was.SchedulingMode != plain.SchedulingMode,
		"schedulingProfile":         was.SchedulingProfile != plain.SchedulingProfile,
		"disableFollowerScheduling": was.DisableFollowerScheduling != plain.DisableFollowerScheduling,
		"reschedulePolicy":          !reflect.DeepEqual(was.ReschedulePolicy, plain.ReschedulePolicy),
		"tolerations":               !reflect.DeepEqual(was.Tolerations, plain.Tolerations),
	} {
		if differs {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
