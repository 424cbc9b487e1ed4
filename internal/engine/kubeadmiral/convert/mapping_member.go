package convert

import (
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

const noAgent = "The host cluster connects to its members, which run no agent. The value has no effect. It is accepted, so that the same configuration works " +
	"with a hub of KubeFleet."

var memberMappings = []Mapping{
	{Resource: "fleet_member_cluster", Argument: "name", Becomes: "`FederatedCluster` `metadata.name`", Fidelity: Exact},
	{Resource: "fleet_member_cluster", Argument: "labels", Becomes: "`metadata.labels`", Fidelity: Exact},
	{Resource: "fleet_member_cluster", Argument: "annotations", Becomes: "`metadata.annotations`", Fidelity: Exact},
	{
		Resource: "fleet_member_cluster", Argument: "annotations", Value: "kubeadmiral.io/…", Fidelity: Impossible,
		Note: "The control plane reserves annotations with the prefix kubeadmiral.io/. Remove this one.",
		registered: func(spec member.Spec) []placement.Path {
			var out []placement.Path
			for key := range spec.Annotations {
				out = append(out, pathIf(notForeign(map[string]string{key: ""}) == nil, placement.At("annotations").Key(key))...)
			}
			return out
		},
	},
	{Resource: "fleet_member_cluster", Argument: "taints", Becomes: "`spec.taints`", Fidelity: Exact},
	{
		Resource: "fleet_member_cluster", Argument: "identity", Fidelity: Ignored, Note: noAgent,
		registered: func(spec member.Spec) []placement.Path { return pathIf(spec.Identity != nil, placement.At("identity")) },
	},
	{
		Resource: "fleet_member_cluster", Argument: "heartbeat_period_seconds", Fidelity: Ignored,
		Note: "A host cluster checks the health of all members at the same interval, its flag --cluster-health-check-period.",
		registered: func(spec member.Spec) []placement.Path {
			return pathIf(spec.HeartbeatPeriodSeconds != nil, placement.At("heartbeat_period_seconds"))
		},
	},
	{
		Resource: "fleet_member_cluster", Argument: "delete_options.validation_mode", Fidelity: Ignored,
		Note: "A host cluster does not check whether objects are still placed on a member that leaves. These objects remain there, with the label " +
			"kubeadmiral.io/managed, unless the registration has the annotation kubeadmiral.io/cascading-delete.",
		registered: func(spec member.Spec) []placement.Path {
			return pathIf(spec.DeleteOptions != nil && spec.DeleteOptions.ValidationMode != "", placement.At("delete_options").Attribute("validation_mode"))
		},
	},
}

// maxPolicyName is the maximum length of a policy's name, which is also the value of a label.
const maxPolicyName = 63

var policyMappings = []Mapping{
	{Resource: "fleet_crp", Argument: "name", Becomes: "`ClusterPropagationPolicy` of that name", Fidelity: Exact},
	{Resource: "fleet_resource_placement", Argument: "name", Becomes: "`PropagationPolicy` of that name", Fidelity: Exact},
	{
		Resource: "fleet_crp", Argument: "name", Value: "more than 63 characters", Fidelity: Impossible,
		Note: fmt.Sprintf("The name of a policy is also the value of a label, which has at most %d characters. Choose a shorter name.", maxPolicyName),
		placed: func(p Placed) []placement.Path {
			return pathIf(len(p.Name) > maxPolicyName, placement.At("name"))
		},
	},
	{
		Resource: "fleet_crp", Argument: "resource_selectors", Becomes: "label `kubeadmiral.io/cluster-propagation-policy-name` on every selected object",
		Fidelity: Lossy, Title: "objects that are created on the host cluster later are not placed",
		Note: "A policy on a host cluster does not select objects: the apply labels the selected objects that exist there. If a selector has no name, " +
			"it can match " +
			"objects that are created later: the next apply places them.",
		placed: func(p Placed) []placement.Path {
			var out []placement.Path
			for i, s := range p.Spec.ResourceSelectors {
				out = append(out, pathIf(s.Name == "", placement.At("resource_selectors").Index(i))...)
			}
			return out
		},
	},
	{Resource: "fleet_crp", Argument: "manifests", Becomes: "objects on the host cluster, which the provider creates and deletes", Fidelity: Exact},
	{
		Resource: "fleet_crp", Argument: "policy.placement_type", Value: "PickAll", Fidelity: Exact,
		Becomes: "`schedulingMode: Duplicate`, and `rescheduleWhen` with all of its triggers enabled",
	},
	{
		Resource: "fleet_crp", Argument: "policy.placement_type", Value: "PickFixed", Becomes: "`placement`, and a toleration of every taint", Fidelity: Lossy,
		Note: "A host cluster leaves out a member that is not ready or does not serve a kind, and reports nothing. When the member becomes " +
			"ready, the host cluster does not add it. The provider compares the picked members with the policy and reports those that are missing.",
	},
	{
		Resource: "fleet_crp", Argument: "policy.cluster_names", Value: "empty", Fidelity: Impossible,
		Note: "On a host cluster, a policy without cluster names places on all clusters. Name at least one cluster, or use PickAll.",
		placed: func(p Placed) []placement.Path {
			policy := p.Spec.Policy
			return pathIf(policy != nil && policy.PlacementType == placement.PickFixed && len(policy.ClusterNames) == 0, placement.At("policy").Attribute("cluster_names"))
		},
	},
	{
		Resource: "fleet_crp", Argument: "policy.placement_type", Value: "PickN", Becomes: "`maxClusters`, and `disableRescheduling`", Fidelity: Lossy,
		Title: "clusters are picked by the free capacity of their nodes",
		Note: "For each object separately, a host cluster picks the members with the most balanced and the least used nodes. If it picks fewer members than " +
			"number_of_clusters, the provider reports it. The host cluster keeps the picked members until the policy changes.",
		placed: func(p Placed) []placement.Path {
			return pathIf(p.Spec.Policy != nil && p.Spec.Policy.PlacementType == placement.PickN, placement.At("policy").Attribute("placement_type"))
		},
	},
	{
		Resource: "fleet_crp", Argument: "policy.affinity.cluster_affinity.required….label_selector", Becomes: "`clusterAffinity`", Fidelity: Exact,
	},
	{
		Resource: "fleet_crp", Argument: "…property_selector, …property_sorter", Fidelity: Impossible,
		Note:   "A host cluster does not use properties of clusters. Label the clusters and select them by label, or name them.",
		placed: properties,
	},
	{
		Resource: "fleet_crp", Argument: "policy.affinity.cluster_affinity.preferred…", Becomes: "annotation `kubeadmiral.io/affinity` on every object",
		Fidelity: Lossy, Title: "a preference is one score of several",
		Note: "A host cluster scales the weights of the preferred clusters to 100, and adds its scores for balanced and for little-used nodes. A preferred " +
			"cluster can " +
			"therefore lose to another one.",
		placed: func(p Placed) []placement.Path {
			return pathIf(p.Spec.Policy != nil && len(preferredSelectors(*p.Spec.Policy)) > 0, preferredPath)
		},
	},
	{
		Resource: "fleet_crp", Argument: "policy.affinity.cluster_affinity.preferred…weight", Value: "negative", Fidelity: Impossible,
		Note: "A host cluster has no weights below 0. Prefer the other clusters instead, or exclude the cluster with a required term.",
		placed: func(p Placed) []placement.Path {
			if p.Spec.Policy == nil {
				return nil
			}
			var out []placement.Path
			for i, term := range preferredSelectors(*p.Spec.Policy) {
				out = append(out, pathIf(term.Weight < 0, preferredPath.Index(i).Attribute("weight"))...)
			}
			return out
		},
	},
	{
		Resource: "fleet_crp", Argument: "policy.topology_spread_constraints", Fidelity: Impossible,
		Note: "A host cluster does not spread objects over the values of a cluster label. Remove the constraints, or name the clusters.",
		placed: func(p Placed) []placement.Path {
			return pathIf(p.Spec.Policy != nil && len(p.Spec.Policy.TopologySpreadConstraints) > 0, placement.At("policy").Attribute("topology_spread_constraints"))
		},
	},
	{Resource: "fleet_crp", Argument: "policy.tolerations", Becomes: "`tolerations`", Fidelity: Exact},
}

var (
	clusterAffinity = placement.At("policy").Attribute("affinity").Attribute("cluster_affinity")
	requiredPath    = clusterAffinity.Attribute("required_during_scheduling_ignored_during_execution").Attribute("cluster_selector_terms")
	preferredPath   = clusterAffinity.Attribute("preferred_during_scheduling_ignored_during_execution")
)

func properties(p Placed) []placement.Path {
	if p.Spec.Policy == nil {
		return nil
	}
	var out []placement.Path
	add := func(at placement.Path, term placement.ClusterSelectorTerm) {
		out = append(out, pathIf(term.PropertySelector != nil, at.Attribute("property_selector"))...)
		out = append(out, pathIf(term.PropertySorter != nil, at.Attribute("property_sorter"))...)
	}
	for i, term := range requiredTerms(*p.Spec.Policy) {
		add(requiredPath.Index(i), term)
	}
	for i, term := range preferredSelectors(*p.Spec.Policy) {
		add(preferredPath.Index(i).Attribute("preference"), term.Preference)
	}
	return out
}
