package workload

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestScaledBy checks that the last writer of the number of Pods through the subresource scale counts as the autoscaler, except kubectl.
func TestScaledBy(t *testing.T) {
	entry := func(manager, subresource, fields string) string {
		return fmt.Sprintf("{manager: %s, operation: Update, subresource: %q, apiVersion: apps/v1, fieldsType: FieldsV1, fieldsV1: {f:spec: {%s}}}", manager, subresource, fields)
	}
	const replicas, other = "f:replicas: {}", "f:paused: {}"
	for name, c := range map[string]struct{ entries, spec, want string }{
		"a HorizontalPodAutoscaler": {entry("kube-controller-manager", "scale", replicas), "replicas: 3", "kube-controller-manager"},
		"another autoscaler":        {entry("helm", "", other) + ", " + entry("my-scaler", "scale", replicas), "replicas: 3", "my-scaler"},
		"both of two":               {entry("helm", "", replicas) + ", " + entry("my-scaler", "scale", replicas), "replicas: 3", "my-scaler"},
		"kubectl scale":             {entry("kubectl", "scale", replicas), "replicas: 3", ""},
		"another client since":      {entry("helm", "", replicas) + ", " + entry("kube-controller-manager", "status", other), "replicas: 3", ""},
		"nobody":                    {"", "replicas: 3", ""},
		"a kind without a number":   {entry("my-scaler", "scale", replicas), "paused: true", ""},
	} {
		live := object(t, fmt.Sprintf("{apiVersion: apps/v1, kind: Deployment, metadata: {name: w, managedFields: [%s]}, spec: {%s}}", c.entries, c.spec))
		if by, scaled := ScaledBy(live); scaled != (c.want != "") || scaled && by.Name != c.want {
			t.Errorf("%s: %+v, %t", name, by, scaled)
		}
	}
}

// TestLeaveReplicas checks that the number of Pods is omitted, unless a hub would apply its default 1 to members and no annotation prevents it.
func TestLeaveReplicas(t *testing.T) {
	host := Retention{{Group: "apps", Kind: "Deployment"}: "example.com/retain"}
	for name, c := range map[string]struct {
		kind      string
		stored    bool
		retention Retention
		want      Replicas
	}{
		"without a hub":                     {"Deployment", false, nil, ReplicasOpen},
		"on a hub":                          {"Deployment", true, nil, ReplicasPinned},
		"on a hub that retains":             {"Deployment", true, host, ReplicasRetained},
		"on one that always stores":         {"Deployment", false, host, ReplicasRetained},
		"of a kind that it does not retain": {"StatefulSet", true, host, ReplicasPinned},
		"of that kind, stored on the hub":   {"StatefulSet", false, host, ReplicasPinned},
		"of that kind, without a hub":       {"StatefulSet", false, nil, ReplicasOpen},
		"of a kind of another group":        {"Rollout", false, host, ReplicasPinned},
		"on a hub that retains no kind":     {"Deployment", false, Retention{}, ReplicasPinned},
		"of a kind of its own, and no hub":  {"Rollout", false, nil, ReplicasOpen},
	} {
		u := object(t, "{apiVersion: apps/v1, metadata: {name: w, annotations: {note: kept}}, spec: {replicas: 3, paused: true}}")
		u.SetGroupVersionKind(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: c.kind})
		got := LeaveReplicas(u, c.stored, c.retention)
		annotations := u.GetAnnotations()
		if paused, _, _ := unstructured.NestedBool(u.Object, "spec", "paused"); got != c.want || HasReplicas(u) != (c.want == ReplicasPinned) || !paused ||
			annotations["note"] != "kept" || (annotations["example.com/retain"] == "true") != (c.want == ReplicasRetained) {
			t.Errorf("%s: %s, %v", name, got, u.Object)
		}
	}
}
