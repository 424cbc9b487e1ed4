package selection

import (
	"cmp"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// order ranks kinds by name, regardless of their group.
var order = buildOrder(
	"PriorityClass", "Namespace", "NetworkPolicy", "ResourceQuota", "LimitRange", "PodDisruptionBudget", "ServiceAccount", "Secret",
	"ConfigMap", "StorageClass", "PersistentVolume", "PersistentVolumeClaim", "CustomResourceDefinition", "ClusterRole",
	"ClusterRoleBinding", "Role", "RoleBinding", "Service", "DaemonSet", "Pod", "ReplicationController", "ReplicaSet", "Deployment",
	"HorizontalPodAutoscaler", "StatefulSet", "Job", "CronJob", "IngressClass", "Ingress", "APIService",
	"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration",
)

func buildOrder(kinds ...string) map[string]int {
	ranks := make(map[string]int, len(kinds))
	for i, kind := range kinds {
		ranks[kind] = i
	}
	return ranks
}

// Compare orders objects as KubeFleet's snapshots and status.selectedResources do: by the rank of the kind, then by API version, then by
// "namespace/name". Kinds without a rank are last, by group, version and kind. This is not the order in which objects are applied.
func Compare(a, b manifest.Identifier) int {
	rankA, knownA := order[a.Kind]
	rankB, knownB := order[b.Kind]
	if knownA != knownB {
		if knownA {
			return -1
		}
		return 1
	}
	byVersion := cmp.Compare(a.GroupVersionKind().String(), b.GroupVersionKind().String())
	if knownA {
		byVersion = cmp.Compare(a.GroupVersionKind().GroupVersion().String(), b.GroupVersionKind().GroupVersion().String())
	}
	return cmp.Or(
		cmp.Compare(rankA, rankB),
		byVersion,
		cmp.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name),
	)
}

// Sort sorts objects by [Compare].
func Sort(objects []manifest.Object) {
	slices.SortStableFunc(objects, func(a, b manifest.Object) int { return Compare(a.Identifier, b.Identifier) })
}
