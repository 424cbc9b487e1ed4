package clusterset

import (
	"context"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/quantity"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

var (
	nodeKind = schema.GroupVersionKind{Version: "v1", Kind: "Node"}
	podKind  = schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
)

// measured are the resources that KubeFleet's property provider sums up (pkg/propertyprovider).
var measured = []string{"cpu", "memory"}

// Measure reads what a cluster is like now: its properties, named as KubeFleet names them, and the resources of its nodes. A credential
// that may not list nodes or pods gets no numbers of them: they are information, not a condition of membership.
func Measure(ctx context.Context, cluster *kube.Cluster) (map[string]string, member.ResourceUsage, error) {
	version, err := cluster.ServerVersion(ctx)
	if err != nil {
		return nil, member.ResourceUsage{}, Unreachable(cluster.Name(), err)
	}
	properties := map[string]string{member.KubernetesVersionProperty: version}
	nodes, err := cluster.List(ctx, nodeKind, metav1.NamespaceAll, "")
	if kube.IsForbidden(err) {
		return properties, member.ResourceUsage{}, nil
	}
	if err != nil {
		return nil, member.ResourceUsage{}, Unreachable(cluster.Name(), err)
	}
	pods, err := cluster.List(ctx, podKind, metav1.NamespaceAll, "")
	if err != nil && !kube.IsForbidden(err) {
		return nil, member.ResourceUsage{}, Unreachable(cluster.Name(), err)
	}
	properties[member.NodeCountProperty] = strconv.Itoa(len(nodes))
	return properties, usage(nodes, pods, err == nil), nil
}

// usage sums up what nodes have and what pods leave free. Available is allocatable less the requests of the containers of pods that are
// bound to a node and not finished, and never below zero.
func usage(nodes, pods []*unstructured.Unstructured, withAvailable bool) member.ResourceUsage {
	out := member.ResourceUsage{Capacity: map[string]string{}, Allocatable: map[string]string{}}
	if withAvailable {
		out.Available = map[string]string{}
	}
	for _, name := range measured {
		var capacity, allocatable resource.Quantity
		for _, node := range nodes {
			addQuantity(&capacity, node.Object, "status", "capacity", name)
			addQuantity(&allocatable, node.Object, "status", "allocatable", name)
		}
		out.Capacity[name], out.Allocatable[name] = capacity.String(), allocatable.String()
		if !withAvailable {
			continue
		}
		available := allocatable.DeepCopy()
		for _, pod := range pods {
			available.Sub(requested(pod, name))
		}
		if available.Sign() < 0 {
			available = resource.Quantity{}
		}
		out.Available[name] = available.String()
	}
	return out
}

func requested(pod *unstructured.Unstructured, name string) resource.Quantity {
	var sum resource.Quantity
	node, _, _ := unstructured.NestedString(pod.Object, "spec", "nodeName")
	phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase")
	if node == "" || phase == "Succeeded" || phase == "Failed" {
		return sum
	}
	containers, _, _ := unstructured.NestedSlice(pod.Object, "spec", "containers")
	for _, container := range containers {
		if fields, ok := container.(map[string]any); ok {
			addQuantity(&sum, fields, "resources", "requests", name)
		}
	}
	return sum
}

func addQuantity(sum *resource.Quantity, object map[string]any, path ...string) {
	text, found, err := unstructured.NestedString(object, path...)
	if !found || err != nil {
		return
	}
	if value, err := quantity.Parse(text); err == nil {
		sum.Add(value)
	}
}
