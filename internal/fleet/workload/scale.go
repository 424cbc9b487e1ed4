package workload

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
)

// Replicas selects the replica count in a copy of a scaled workload.
type Replicas string

const (
	// ReplicasOpen omits the number: each cluster keeps its own.
	ReplicasOpen Replicas = "open"
	// ReplicasRetained omits the number, and sets an annotation. Because of the annotation, each member keeps its own number instead of the default
	// that the hub stores.
	ReplicasRetained Replicas = "retained"
	// ReplicasPinned keeps the current number. Without a number, the hub would store 1 and apply it to members.
	ReplicasPinned Replicas = "pinned"
)

// Retention maps kinds to the annotations with which a hub leaves the number of Pods to its members. It is nil for engines without such
// annotations.
type Retention map[schema.GroupKind]string

// Autoscalers is the kind of autoscalers that every cluster serves.
var Autoscalers = schema.GroupVersionKind{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler"}

// HasReplicas reports whether an object specifies its number of Pods.
func HasReplicas(u *unstructured.Unstructured) bool {
	_, found, err := unstructured.NestedFieldNoCopy(u.Object, "spec", "replicas")
	return found && err == nil
}

// ScaledBy returns the autoscaler that last wrote the number of Pods, according to managedFields. It does not find an autoscaler that has not
// changed the number yet, or whose number another manager has overwritten.
func ScaledBy(live *unstructured.Unstructured) (manager diff.Manager, scaled bool) {
	manager = diff.WriterOf(live, "spec", "replicas")
	return manager, HasReplicas(live) && manager.Autoscales()
}

// LeaveReplicas removes the number of Pods from a configuration if the engine can leave the number to each cluster, and returns what it did. For
// [ReplicasRetained], it also sets the annotation. stored reports whether the configuration is stored on a hub, whose API server sets the default 1.
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
