package rollout

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"pgregory.net/rapid"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

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

// TestGuessResource: every resource with a wave can be guessed from its kind.
func TestGuessResource(t *testing.T) {
	guessed := map[string]bool{}
	for _, kind := range []string{
		"Namespace", "PriorityClass", "NetworkPolicy", "ResourceQuota", "LimitRange", "PodSecurityPolicy", "PodDisruptionBudget",
		"ServiceAccount", "Secret", "ConfigMap", "StorageClass", "PersistentVolume", "PersistentVolumeClaim", "CustomResourceDefinition",
		"IngressClass", "ClusterRole", "Role", "ClusterRoleBinding", "RoleBinding", "Service", "DaemonSet", "Pod", "ReplicationController",
		"ReplicaSet", "Deployment", "HorizontalPodAutoscaler", "StatefulSet", "Job", "CronJob", "Ingress", "APIService",
		"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration",
	} {
		guessed[GuessResource(schema.GroupVersionKind{Kind: kind}).Resource] = true
	}
	for resource := range waves {
		if !guessed[resource] {
			t.Errorf("%s is not guessed", resource)
		}
	}
}

func objects(kinds ...string) []manifest.Object {
	var made []manifest.Object
	for i, kind := range kinds {
		gk := schema.ParseGroupKind(kind)
		made = append(made, manifest.Object{Identifier: manifest.Identifier{Group: gk.Group, Version: "v1", Kind: gk.Kind, Name: string(rune('a' + i))}})
	}
	return made
}

func TestSortWaves(t *testing.T) {
	got := SortWaves(objects("Sample.example.org", "Deployment.apps", "Namespace", "Service", "ConfigMap", "Namespace"), nil)
	var kinds [][]string
	for _, wave := range got {
		var names []string
		for _, o := range wave {
			names = append(names, o.String())
		}
		kinds = append(kinds, names)
	}
	want := [][]string{{"Namespace c", "Namespace f"}, {"ConfigMap e"}, {"Deployment b", "Service d"}, {"Sample.example.org a"}}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Error(diff)
	}
	if got := SortWaves(nil, nil); got != nil {
		t.Errorf("got %v", got)
	}
	own := func(schema.GroupVersionKind) schema.GroupResource {
		return schema.GroupResource{Resource: "namespaces"}
	}
	if got := SortWaves(objects("Sample.example.org", "Deployment.apps"), own); len(got) != 1 {
		t.Errorf("got %v", got)
	}
}

// TestSortWavesKeepsEverything: no object is lost, waves rise, and none is empty.
func TestSortWavesKeepsEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := rapid.SliceOf(rapid.SampledFrom([]string{"Namespace", "Deployment.apps", "A.b.c", "Role.rbac.authorization.k8s.io"})).Draw(t, "kinds")
		count, last := 0, -1
		for _, wave := range SortWaves(objects(kinds...), nil) {
			resource := GuessResource(wave[0].GroupVersionKind())
			number := Wave(resource.Group, resource.Resource)
			if number <= last {
				t.Fatalf("wave %d after %d", number, last)
			}
			last = number
			count += len(wave)
		}
		if count != len(kinds) {
			t.Fatalf("%d objects became %d", len(kinds), count)
		}
	})
}
