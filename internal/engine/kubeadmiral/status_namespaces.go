package kubeadmiral

import (
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// hasOnlyNamespaces reports whether there are objects, and all of them are Namespaces. The host places Namespaces on every member, and reports no status of
// them for a policy.
func hasOnlyNamespaces(objects []manifest.Identifier) bool {
	return len(objects) > 0 && !slices.ContainsFunc(objects, func(id manifest.Identifier) bool { return !id.IsNamespace() })
}

// membersWithNamespaces returns the joined members that count as picked by a placement that has only Namespaces. If the policy names clusters, these are the
// named members. Otherwise, they are the members that the last apply picked. If the last apply picked none of the joined members, all joined members count
// as picked. If the policy requests no cluster, none count.
func membersWithNamespaces(p engine.Placement, spec placement.Spec, fleet *host.Fleet) []string {
	var joined, picked []string
	for _, m := range fleet.Members {
		if !convert.Is(m, v1alpha1.ConditionJoined) {
			continue
		}
		joined = append(joined, m.Name)
		if slices.Contains(spec.Policy.ClusterNames, m.Name) || len(spec.Policy.ClusterNames) == 0 && p.PriorCluster(m.Name).IsScheduled() {
			picked = append(picked, m.Name)
		}
	}
	if len(picked) == 0 && len(spec.Policy.ClusterNames) == 0 && !spec.Policy.AsksForNone() {
		return joined
	}
	return picked
}
