package convert

import (
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
)

// suspended is the name of a SchedulingProfile that does not exist. If the policy already has a SchedulingProfile, a dot and the name of this profile
// follow.
const suspended = "suspended-by-terraform"

// Suspend returns the policy with a SchedulingProfile that does not exist, so that the scheduler does not process its objects. The control plane sends a
// changed object to members only after the scheduler has processed the object. Changes of the policy and of its objects therefore take effect together.
func Suspend(spec v1alpha1.PropagationPolicySpec) v1alpha1.PropagationPolicySpec {
	spec = Resume(spec)
	if spec.SchedulingProfile == "" {
		spec.SchedulingProfile = suspended
	} else {
		spec.SchedulingProfile = suspended + "." + spec.SchedulingProfile
	}
	return spec
}

// Resume is the reverse of Suspend. It returns any other policy unchanged.
func Resume(spec v1alpha1.PropagationPolicySpec) v1alpha1.PropagationPolicySpec {
	if IsSuspended(spec) {
		spec.SchedulingProfile = strings.TrimPrefix(strings.TrimPrefix(spec.SchedulingProfile, suspended), ".")
	}
	return spec
}

// IsSuspended reports whether a policy is one that [Suspend] returns.
func IsSuspended(spec v1alpha1.PropagationPolicySpec) bool {
	return spec.SchedulingProfile == suspended || strings.HasPrefix(spec.SchedulingProfile, suspended+".")
}
