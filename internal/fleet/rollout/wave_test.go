package rollout

import "testing"

func TestWave(t *testing.T) {
	tests := []struct {
		group, resource string
		want            int
	}{
		{"", "namespaces", 0},
		{"scheduling.k8s.io", "priorityclasses", 0},
		{"", "configmaps", 1},
		{"policy", "poddisruptionbudgets", 1},
		{"apiextensions.k8s.io", "customresourcedefinitions", 1},
		{"rbac.authorization.k8s.io", "clusterroles", 2},
		{"rbac.authorization.k8s.io", "rolebindings", 3},
		{"apps", "deployments", 4},
		{"autoscaling", "horizontalpodautoscalers", 4},
		{"networking.k8s.io", "ingresses", 4},
		{"apiregistration.k8s.io", "apiservices", 5},
		{"admissionregistration.k8s.io", "mutatingwebhookconfigurations", 5},
		{"serving.knative.dev", "services", LastWave},
		{"", "endpoints", LastWave},
		{"storage.k8s.io", "csidrivers", LastWave},
		{"coordination.k8s.io", "leases", LastWave},
		{"example.org", "samples", LastWave},
	}
	for _, tt := range tests {
		if got := Wave(tt.group, tt.resource); got != tt.want {
			t.Errorf("%s.%s: got %d, want %d", tt.resource, tt.group, got, tt.want)
		}
	}
}
