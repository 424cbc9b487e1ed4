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

// measured are the resources that KubeFleet's property provider adds up (pkg/propertyprovider).
var measured = [...]string{"cpu", "memory"}

// Measure reads a cluster's properties, with KubeFleet's names, and the resources of its nodes. If the credentials may not list Nodes or Pods, the result lacks
// the values that depend on them.
func Measure(ctx context.Context, cluster *kube.Cluster) (map[string]string, member.ResourceUsage, error) {
	version, err := cluster.ServerVersion(ctx)
	if err != nil {
		return nil, member.ResourceUsage{}, Unreachable(cluster.Name(), err)
	}
	properties := map[string]string{member.KubernetesVersionProperty: version}
	var sums totals
	nodes := 0
	err = cluster.Each(ctx, nodeKind, metav1.NamespaceAll, func() { nodes, sums = 0, totals{} }, func(node *unstructured.Unstructured) {
		nodes++
		for i, name := range measured {
			addQuantity(&sums.capacity[i], node.Object, "status", "capacity", name)
			addQuantity(&sums.allocatable[i], node.Object, "status", "allocatable", name)
		}
	})
	if kube.IsForbidden(err) {
		return properties, member.ResourceUsage{}, nil
	}
	if err != nil {
		return nil, member.ResourceUsage{}, Unreachable(cluster.Name(), err)
	}
	err = cluster.Each(ctx, podKind, metav1.NamespaceAll, func() { sums.requested = [len(measured)]resource.Quantity{} }, func(pod *unstructured.Unstructured) {
		for i, name := range measured {
			sums.requested[i].Add(requestedBy(pod, name))
		}
	})
	if err != nil && !kube.IsForbidden(err) {
		return nil, member.ResourceUsage{}, Unreachable(cluster.Name(), err)
	}
	properties[member.NodeCountProperty] = strconv.Itoa(nodes)
	return properties, sums.usage(err == nil), nil
}

// totals are sums over the nodes and pods of a cluster, in the order of measured.
type totals struct {
	capacity, allocatable, requested [len(measured)]resource.Quantity
}

// usage returns the resources of the nodes. Available is set only if withAvailable is true. It is allocatable minus the requests of the containers of pods that
// are bound to a node and not finished, and never below zero.
func (t totals) usage(withAvailable bool) member.ResourceUsage {
	out := member.ResourceUsage{Capacity: map[string]string{}, Allocatable: map[string]string{}}
	if withAvailable {
		out.Available = map[string]string{}
	}
	for i, name := range measured {
		out.Capacity[name], out.Allocatable[name] = t.capacity[i].String(), t.allocatable[i].String()
		if !withAvailable {
			continue
		}
		available := t.allocatable[i].DeepCopy()
		available.Sub(t.requested[i])
		if available.Sign() < 0 {
			available = resource.Quantity{}
		}
		out.Available[name] = available.String()
	}
	return out
}

func requestedBy(pod *unstructured.Unstructured, name string) resource.Quantity {
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
