package selection

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kind is a version of a kind that the hub serves.
type Kind struct {
	Group, Version, Kind string
	// Resource is the plural name of the resource; names with a slash, which are subresources, are left out of selections.
	Resource   string
	Namespaced bool
	Verbs      []string
	// Preferred marks the version that the hub prefers for the resource.
	Preferred bool
}

func (k Kind) groupVersionKind() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}
}

// tracked tells the kinds of which KubeFleet's hub knows the objects: it follows the preferred version of every resource that can be
// listed and watched.
func (k Kind) tracked() bool {
	return k.Preferred && !strings.Contains(k.Resource, "/") && slices.Contains(k.Verbs, "list") && slices.Contains(k.Verbs, "watch")
}

// deniedGroups are the API groups none of whose objects are placed, with the reason.
var deniedGroups = map[string]string{
	"cluster.kubernetes-fleet.io": "member clusters are the fleet's own",
	"events.k8s.io":               "events belong to one cluster",
	"coordination.k8s.io":         "leases belong to one cluster",
	"metrics.k8s.io":              "metrics belong to one cluster",
}

// deniedKinds are the other kinds whose objects are not placed, with the reason.
var deniedKinds = buildDeniedKinds()

func buildDeniedKinds() map[schema.GroupKind]string {
	denied := map[schema.GroupKind]string{
		{Kind: "Pod"}:  "Pods are made by the workloads of each cluster",
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
		denied[schema.GroupKind{Group: "placement.kubernetes-fleet.io", Kind: kind}] = "the placement API works on the hub"
	}
	return denied
}

// Denied tells the kinds whose objects are never placed, with the reason, to be read after "because". The list is KubeFleet's default
// one; its hub can be told another.
func Denied(kind schema.GroupKind) (reason string, denied bool) {
	if reason, denied = deniedGroups[kind.Group]; denied {
		return reason, true
	}
	reason, denied = deniedKinds[kind]
	return reason, denied
}

// deniedInNamespace tells the kinds that a namespace does not bring with it. Core events come on top of [Denied]: upstream looks a
// resource's kinds up by its plural name, and events are also a denied kind of another group.
func deniedInNamespace(kind schema.GroupKind) (reason string, denied bool) {
	if kind == (schema.GroupKind{Kind: "Event"}) {
		return deniedGroups["events.k8s.io"], true
	}
	return Denied(kind)
}

// ReservedNamespace tells the namespaces that are never placed: KubeFleet's and Kubernetes' own, and default.
func ReservedNamespace(name string) bool {
	return name == "default" || strings.HasPrefix(name, "fleet-") || strings.HasPrefix(name, "kube-")
}

// ReservedContent reports whether what is in a namespace is never placed. Objects in the namespace default are anybody's.
func ReservedContent(namespace string) bool {
	return namespace != "default" && ReservedNamespace(namespace)
}
