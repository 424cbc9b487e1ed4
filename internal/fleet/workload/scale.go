package workload

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
)

// Replicas is what a copy of a workload that is scaled says of the number of its Pods.
type Replicas string

// What it says.
const (
	// ReplicasOpen is nothing: every cluster keeps the number that it has.
	ReplicasOpen Replicas = "open"
	// ReplicasRetained is nothing, and an annotation has the hub leave the number that it stores to itself.
	ReplicasRetained Replicas = "retained"
	// ReplicasPinned is the number of the moment: the hub would store 1 instead, and members would get that.
	ReplicasPinned Replicas = "pinned"
)

// Retention has the annotations by which a hub leaves the number of Pods to its members, for the kinds of which it can. It is nil for engines that
// place manifests without storing them on a hub first.
type Retention map[schema.GroupKind]string

// Autoscalers is the kind of those that everybody can read.
var Autoscalers = schema.GroupVersionKind{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler"}

// HasReplicas tells whether an object says how many Pods it is to have.
func HasReplicas(u *unstructured.Unstructured) bool {
	_, found, err := unstructured.NestedFieldNoCopy(u.Object, "spec", "replicas")
	return found && err == nil
}

// ScaledBy is the autoscaler that has written the number of Pods last, by managedFields. One that has changed nothing so far is not seen, and so is
// one of which somebody has overruled the number since.
func ScaledBy(live *unstructured.Unstructured) (manager diff.Manager, scaled bool) {
	manager = diff.WriterOf(live, "spec", "replicas")
	return manager, HasReplicas(live) && manager.Autoscales()
}

// LeaveReplicas has a configuration leave the number of Pods to each cluster, as far as what places it allows: stored says that it is stored on a hub,
// whose API server fills in 1.
func LeaveReplicas(configuration *unstructured.Unstructured, stored bool, retention Retention) Replicas {
	if !stored && retention == nil {
		unstructured.RemoveNestedField(configuration.Object, "spec", "replicas")
		return ReplicasOpen
	}
	annotation, can := retention[kindOf(configuration)]
	if !can {
		return ReplicasPinned
	}
	unstructured.RemoveNestedField(configuration.Object, "spec", "replicas")
	annotations := configuration.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[annotation] = "true"
	configuration.SetAnnotations(annotations)
	return ReplicasRetained
}
