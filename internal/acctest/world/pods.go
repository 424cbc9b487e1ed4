package world

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Run is the running part of a workload on a cluster.
type Run struct {
	// Pods are the UIDs of the Pods that are not being deleted, with the number of their containers' restarts.
	Pods map[string]int64
	// ReplicaSets are the names of the ReplicaSets that have replicas or should have some.
	ReplicaSets []string
}

// UIDs returns the UIDs of the Pods.
func (r Run) UIDs() []string { return slices.Sorted(maps.Keys(r.Pods)) }

// Running waits until the world's namespace has exactly this number of Pods with a label, and at most one ReplicaSet with the label has Pods. All Pods must be
// ready, and none may be being deleted. It returns these Pods and ReplicaSets.
func (w *World) Running(cluster, labels string, pods int) Run {
	w.Helper()
	var out Run
	w.Eventually(w.Expand(labels)+" runs on "+cluster, func() bool {
		out = Run{Pods: map[string]int64{}}
		for _, pod := range w.list(cluster, "v1", "Pod", labels) {
			if pod.GetDeletionTimestamp() != nil || !IsTrue(&pod, "Ready") {
				return false
			}
			out.Pods[string(pod.GetUID())] = restartsOf(&pod)
		}
		for _, set := range w.list(cluster, "apps/v1", "ReplicaSet", labels) {
			// Pods can be ready before the ReplicaSet's status counts them.
			want, _, _ := unstructured.NestedInt64(set.Object, "spec", "replicas")
			if have, _, _ := unstructured.NestedInt64(set.Object, "status", "replicas"); want > 0 || have > 0 {
				out.ReplicaSets = append(out.ReplicaSets, set.GetName())
			}
		}
		return len(out.Pods) == pods && len(out.ReplicaSets) <= 1
	})
	return out
}

func (w *World) list(cluster, apiVersion, kind, labels string) []unstructured.Unstructured {
	w.Helper()
	found, err := w.On(cluster).List(w.Context(), apiVersion, kind, w.Name, w.Expand(labels))
	if err != nil {
		w.Fatalf("%s: %v", cluster, err)
	}
	return found
}

// IsTrue reports whether a condition in the status of an object is True.
func IsTrue(u *unstructured.Unstructured, condition string) bool {
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	return slices.ContainsFunc(conditions, func(c any) bool {
		fields, _ := c.(map[string]any)
		return fields["type"] == condition && fields["status"] == "True"
	})
}

func restartsOf(pod *unstructured.Unstructured) int64 {
	var sum int64
	containers, _, _ := unstructured.NestedSlice(pod.Object, "status", "containerStatuses")
	for _, container := range containers {
		fields, _ := container.(map[string]any)
		n, _ := fields["restartCount"].(int64)
		sum += n
	}
	return sum
}
