package host

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
)

// TestPinnedKeepsFollowers checks the value with which an object is pinned. The scheduler accepts every value except an empty one. With the value "true", the
// follower controller deletes the followers of the object on the members (pkg/controllers/follower).
func TestPinnedKeepsFollowers(t *testing.T) {
	t.Parallel()
	const label = v1alpha1.ClusterPolicyLabel
	for name, before := range map[string]string{"not pinned": "", "pinned by an earlier version": "true"} {
		live := &unstructured.Unstructured{Object: map[string]any{}}
		live.SetLabels(map[string]string{label: "web", "app": "web"})
		live.SetAnnotations(map[string]string{v1alpha1.OrphanAnnotation: v1alpha1.OrphanAdopted, v1alpha1.NoSchedulingAnnotation: before})
		keys := pinnedKeys(live)
		if value := keys.Annotations[v1alpha1.NoSchedulingAnnotation]; value == "" || value == "true" {
			t.Errorf("%s: the value is %q", name, value)
		}
		if keys.Labels[label] != "web" || len(keys.Labels) != 1 || keys.Annotations[v1alpha1.OrphanAnnotation] != v1alpha1.OrphanAdopted {
			t.Errorf("%s: %+v", name, keys)
		}
	}
}
