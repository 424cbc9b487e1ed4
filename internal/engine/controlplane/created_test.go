package controlplane

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestMarkCreated(t *testing.T) {
	for name, labels := range map[string]map[string]string{"none": nil, "others": {"team": "a"}, "another owner": {"app.kubernetes.io/managed-by": "Helm"}} {
		u := &unstructured.Unstructured{Object: map[string]any{}}
		u.SetLabels(labels)
		if IsCreated(u) {
			t.Errorf("%s: the object counts as created before it is marked", name)
		}
		MarkCreated(u)
		if !IsCreated(u) || u.GetLabels()["team"] != labels["team"] {
			t.Errorf("%s: %v", name, u.GetLabels())
		}
	}
}
