package selection

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
)

// Kind is a kind in a version that the hub serves.
type Kind struct {
	Group, Version, Kind string
	// Resource is the plural name of the resource. Names with a slash are subresources, which are excluded from selections.
	Resource   string
	Namespaced bool
	Verbs      []string
	// Preferred reports whether the hub prefers this version of the resource.
	Preferred bool
}

func (k Kind) groupVersionKind() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}
}

// isTracked reports whether KubeFleet's hub watches the objects of the kind: it watches the preferred version of each resource that can be
// listed and watched.
func (k Kind) isTracked() bool {
	return k.Preferred && !strings.Contains(k.Resource, "/") && slices.Contains(k.Verbs, "list") && slices.Contains(k.Verbs, "watch")
}

// deniedGroups are the API groups whose objects are never placed, with the reason.
var deniedGroups = map[string]string{
	kubefleetapi.ClusterGroup: "member clusters belong to the fleet",
	"events.k8s.io":           "events belong to one cluster",
	"coordination.k8s.io":     "leases belong to one cluster",
	"metrics.k8s.io":          "metrics belong to one cluster",
}

// deniedKinds are other kinds whose objects are never placed, with the reason.
var deniedKinds = buildDeniedKinds()

func buildDeniedKinds() map[schema.GroupKind]string {
	denied := map[schema.GroupKind]string{
		{Kind: "Pod"}:  "the workloads of each cluster create their Pods",
		{Kind: "Node"}: "Nodes belong to one cluster",
	}
	for _, kind := range []string{"ServiceImport", "TrafficManagerProfile", "TrafficManagerBackend"} {
		denied[schema.GroupKind{Group: "networking.fleet.azure.com", Kind: kind}] = "the fleet's networking runs on the hub"
	}
	for _, kind := range []string{
		"ClusterResourcePlacement", "ResourcePlacement", "ClusterResourceBinding", "ResourceBinding", "ClusterResourceSnapshot",
		"ResourceSnapshot", "ClusterSchedulingPolicySnapshot", "SchedulingPolicySnapshot", "Work", "ClusterStagedUpdateRun",
		"ClusterStagedUpdateStrategy", "ClusterApprovalRequest", "StagedUpdateRun", "StagedUpdateStrategy", "ApprovalRequest",
		"ClusterResourcePlacementEviction", "ClusterResourcePlacementDisruptionBudget", "ClusterResourceOverride",
		"ClusterResourceOverrideSnapshot", "ResourceOverride", "ResourceOverrideSnapshot", "ClusterResourcePlacementStatus",
	} {
		denied[schema.GroupKind{Group: kubefleetapi.PlacementGroup, Kind: kind}] = "the placement API works on the hub"
	}
	return denied
}

// Denied reports whether objects of a kind are never placed, and why. The reason follows "because" in a sentence. The list is KubeFleet's
// default, which a hub can override.
func Denied(kind schema.GroupKind) (reason string, denied bool) {
	if reason, denied = deniedGroups[kind.Group]; denied {
		return reason, true
	}
	reason, denied = deniedKinds[kind]
	return reason, denied
}

// isDeniedInNamespace reports whether a kind is excluded from the content of a namespace, and why. Core Events are excluded in addition to [Denied]: KubeFleet
// looks up kinds by their plural name, and core Events have the same plural name as the Events of the denied group events.k8s.io.
func isDeniedInNamespace(kind schema.GroupKind) (reason string, denied bool) {
	if kind == (schema.GroupKind{Kind: "Event"}) {
		return deniedGroups["events.k8s.io"], true
	}
	return Denied(kind)
}

// ReservedNamespace reports whether a namespace is never placed: those of KubeFleet and Kubernetes, and default.
func ReservedNamespace(name string) bool {
	return name == "default" || strings.HasPrefix(name, "fleet-") || strings.HasPrefix(name, "kube-")
}

// ReservedContent reports whether the content of a namespace is never placed. Objects in the namespace default are not reserved.
func ReservedContent(namespace string) bool {
	return namespace != "default" && ReservedNamespace(namespace)
}
