package convert

import (
	"maps"
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// tolerateAll tolerates all taints, so that no taint excludes a named cluster.
var tolerateAll = v1alpha1.Toleration{Operator: string(placement.TolerationExists)}

// Policy returns the host policy for a placement's policy. It converts nil like PickAll. It omits fields that a host cannot express: see [Mappings].
//
// The policy enables rescheduling after every kind of change, because the host would otherwise not pick new members. For PickN, the policy instead disables
// rescheduling: at each such change, the host would otherwise pick by the current scores again, and delete objects on the clusters that they leave.
func Policy(p *placement.Policy) v1alpha1.PropagationPolicySpec {
	policy := *placement.Spec{Policy: p}.Defaulted().Policy
	out := v1alpha1.PropagationPolicySpec{
		SchedulingMode: v1alpha1.SchedulingModeDuplicate, DisableFollowerScheduling: true,
		ReschedulePolicy: &v1alpha1.ReschedulePolicy{RescheduleWhen: &v1alpha1.RescheduleWhen{
			PolicyContentChanged: true, ClusterJoined: true, ClusterLabelsChanged: true, ClusterAPIResourcesChanged: true,
		}},
	}
	switch policy.PlacementType {
	case placement.PickFixed:
		for _, name := range policy.ClusterNames {
			out.Placements = append(out.Placements, v1alpha1.DesiredPlacement{Cluster: name})
		}
		out.Tolerations = []v1alpha1.Toleration{tolerateAll}
		return out
	case placement.PickN:
		if policy.NumberOfClusters != nil {
			out.MaxClusters = new(int64(*policy.NumberOfClusters))
		}
		out.ReschedulePolicy.DisableRescheduling = true
	case placement.PickAll:
	}
	for _, t := range policy.Tolerations {
		out.Tolerations = append(out.Tolerations, v1alpha1.Toleration{
			Key: t.Key, Operator: string(t.Operator), Value: t.Value, Effect: v1alpha1.TaintEffect(t.Effect),
		})
	}
	out.ClusterAffinity = terms(requiredTerms(policy))
	return out
}

// DisablesRescheduling reports whether a policy disables rescheduling, so that objects remain on the clusters that were picked.
func DisablesRescheduling(spec v1alpha1.PropagationPolicySpec) bool {
	return spec.ReschedulePolicy != nil && spec.ReschedulePolicy.DisableRescheduling
}

// EnableRescheduling returns the policy with rescheduling enabled, so that the scheduler picks clusters again.
func EnableRescheduling(spec v1alpha1.PropagationPolicySpec) v1alpha1.PropagationPolicySpec {
	if spec.ReschedulePolicy != nil {
		reschedule := *spec.ReschedulePolicy
		reschedule.DisableRescheduling = false
		spec.ReschedulePolicy = &reschedule
	}
	return spec
}

// AllowRescheduling returns the policy with rescheduling enabled, including rescheduling after a change of the policy itself.
func AllowRescheduling(spec v1alpha1.PropagationPolicySpec) v1alpha1.PropagationPolicySpec {
	spec = EnableRescheduling(spec)
	if reschedule := spec.ReschedulePolicy; reschedule != nil && (reschedule.RescheduleWhen == nil || !reschedule.RescheduleWhen.PolicyContentChanged) {
		when := v1alpha1.RescheduleWhen{}
		if reschedule.RescheduleWhen != nil {
			when = *reschedule.RescheduleWhen
		}
		when.PolicyContentChanged = true
		spec.ReschedulePolicy = &v1alpha1.ReschedulePolicy{RescheduleWhen: &when}
	}
	return spec
}

func requiredTerms(policy placement.Policy) []placement.ClusterSelectorTerm {
	if policy.Affinity == nil || policy.Affinity.ClusterAffinity == nil || policy.Affinity.ClusterAffinity.Required == nil {
		return nil
	}
	return policy.Affinity.ClusterAffinity.Required.ClusterSelectorTerms
}

func preferredSelectors(policy placement.Policy) []placement.PreferredClusterSelector {
	if policy.Affinity == nil || policy.Affinity.ClusterAffinity == nil {
		return nil
	}
	return policy.Affinity.ClusterAffinity.Preferred
}

// terms converts selector terms, one of which must match. On a placement an empty term matches every cluster. On a host an empty term matches no cluster, and
// an empty list matches every cluster, so terms returns nil if any term is empty.
func terms(in []placement.ClusterSelectorTerm) []v1alpha1.ClusterSelectorTerm {
	var out []v1alpha1.ClusterSelectorTerm
	for _, t := range in {
		expressions := requirements(t.LabelSelector)
		if len(expressions) == 0 {
			return nil
		}
		out = append(out, v1alpha1.ClusterSelectorTerm{MatchExpressions: expressions})
	}
	return out
}

func requirements(selector *metav1.LabelSelector) []v1alpha1.ClusterSelectorRequirement {
	if selector == nil {
		return nil
	}
	var out []v1alpha1.ClusterSelectorRequirement
	for _, key := range slices.Sorted(maps.Keys(selector.MatchLabels)) {
		out = append(out, v1alpha1.ClusterSelectorRequirement{
			Key: key, Operator: string(metav1.LabelSelectorOpIn), Values: []string{selector.MatchLabels[key]},
		})
	}
	for _, e := range selector.MatchExpressions {
		values := slices.Clone(e.Values)
		if values == nil {
			values = []string{}
		}
		out = append(out, v1alpha1.ClusterSelectorRequirement{Key: e.Key, Operator: string(e.Operator), Values: values})
	}
	return out
}

// SamePolicy reports whether two policies have the same effect, apart from disableRescheduling.
func SamePolicy(a, b v1alpha1.PropagationPolicySpec) bool {
	return reflect.DeepEqual(normalize(EnableRescheduling(a)), normalize(EnableRescheduling(b)))
}

// EqualPolicy reports whether two policies have the same effect, including disableRescheduling.
func EqualPolicy(a, b v1alpha1.PropagationPolicySpec) bool {
	return reflect.DeepEqual(normalize(a), normalize(b))
}

// normalize replaces empty lists and maps with nil, which has the same effect.
func normalize(spec v1alpha1.PropagationPolicySpec) v1alpha1.PropagationPolicySpec {
	if len(spec.ClusterAffinity) == 0 {
		spec.ClusterAffinity = nil
	}
	if len(spec.ClusterSelector) == 0 {
		spec.ClusterSelector = nil
	}
	if len(spec.Tolerations) == 0 {
		spec.Tolerations = nil
	}
	if len(spec.Placements) == 0 {
		spec.Placements = nil
	}
	return spec
}

// PolicyAsWritten converts a host policy to the form of the configuration. If both have the same effect, it returns the configured policy. external is the
// spec of a policy that the provider did not create, or nil.
func PolicyAsWritten(stored v1alpha1.PropagationPolicySpec, written *placement.Policy, external *v1alpha1.PropagationPolicySpec) *placement.Policy {
	if SamePolicy(Resume(stored), PolicyOn(written, external)) {
		return written
	}
	out := ToPolicy(stored)
	if written != nil && len(preferredSelectors(*written)) > 0 { // a host stores preferences on the objects
		if out.Affinity == nil {
			out.Affinity = &placement.Affinity{ClusterAffinity: &placement.ClusterAffinity{}}
		}
		out.Affinity.ClusterAffinity.Preferred = preferredSelectors(*written)
	}
	return &out
}

// ToPolicy converts a host policy to a placement's policy. It omits fields that a placement cannot express.
func ToPolicy(stored v1alpha1.PropagationPolicySpec) placement.Policy {
	if len(stored.Placements) > 0 {
		out := placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{}}
		for _, p := range stored.Placements {
			out.ClusterNames = append(out.ClusterNames, p.Cluster)
		}
		return out
	}
	out := placement.Policy{PlacementType: placement.PickAll}
	if stored.MaxClusters != nil {
		out.PlacementType, out.NumberOfClusters = placement.PickN, new(int32(*stored.MaxClusters)) //nolint:gosec // there are never that many clusters
	}
	for _, t := range stored.Tolerations {
		out.Tolerations = append(out.Tolerations, placement.Toleration{
			Key: t.Key, Operator: placement.TolerationOperator(t.Operator), Value: t.Value, Effect: placement.TaintEffect(t.Effect),
		})
	}
	var found []placement.ClusterSelectorTerm
	for _, t := range stored.ClusterAffinity {
		found = append(found, toTerm(t, stored.ClusterSelector))
	}
	if len(stored.ClusterAffinity) == 0 && len(stored.ClusterSelector) > 0 {
		found = append(found, placement.ClusterSelectorTerm{LabelSelector: &metav1.LabelSelector{MatchLabels: stored.ClusterSelector}})
	}
	if len(found) > 0 {
		out.Affinity = &placement.Affinity{ClusterAffinity: &placement.ClusterAffinity{
			Required: &placement.ClusterSelector{ClusterSelectorTerms: found},
		}}
	}
	return out
}

// toTerm converts a selector term. It omits requirements that a label selector cannot express, and adds labels, which a cluster must also have. If labels is
// empty, expressions that [requirements] created from labels become labels again.
func toTerm(t v1alpha1.ClusterSelectorTerm, labels map[string]string) placement.ClusterSelectorTerm {
	if alone := labelsIn(t.MatchExpressions); len(alone) > 0 && len(labels) == 0 {
		return placement.ClusterSelectorTerm{LabelSelector: &metav1.LabelSelector{MatchLabels: alone}}
	}
	selector := &metav1.LabelSelector{MatchLabels: maps.Clone(labels)}
	for _, e := range t.MatchExpressions {
		if isNumeric(e) {
			continue
		}
		selector.MatchExpressions = append(selector.MatchExpressions, metav1.LabelSelectorRequirement{
			Key: e.Key, Operator: metav1.LabelSelectorOperator(e.Operator), Values: e.Values,
		})
	}
	return placement.ClusterSelectorTerm{LabelSelector: selector}
}

// isNumeric reports whether a requirement has an operator for numbers, which a label selector does not have.
func isNumeric(e v1alpha1.ClusterSelectorRequirement) bool {
	return e.Operator == "Gt" || e.Operator == "Lt"
}

// labelsIn returns the labels that expressions require, if [requirements] created the expressions from labels: with the operator In, with one value each,
// and sorted by key. It returns nil for other expressions.
func labelsIn(expressions []v1alpha1.ClusterSelectorRequirement) map[string]string {
	out, last := map[string]string{}, ""
	for _, e := range expressions {
		if e.Operator != string(metav1.LabelSelectorOpIn) || len(e.Values) != 1 || e.Key <= last {
			return nil
		}
		out[e.Key], last = e.Values[0], e.Key
	}
	return out
}

// ForceRescheduling returns the policy with rescheduling enabled and with clusterAPIResourcesChanged inverted. Because of the changed content, the scheduler
// picks clusters again. A policy without a ReschedulePolicy remains unchanged.
func ForceRescheduling(spec v1alpha1.PropagationPolicySpec) v1alpha1.PropagationPolicySpec {
	spec = AllowRescheduling(spec)
	if spec.ReschedulePolicy != nil && spec.ReschedulePolicy.RescheduleWhen != nil {
		reschedule, when := *spec.ReschedulePolicy, *spec.ReschedulePolicy.RescheduleWhen
		when.ClusterAPIResourcesChanged = !when.ClusterAPIResourcesChanged
		reschedule.RescheduleWhen = &when
		spec.ReschedulePolicy = &reschedule
	}
	return spec
}
