package predict

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// TestCentralizedAutoscaler checks that an autoscaler with the label for a centralized one is held, whether or not its workload is on the host.
func TestCentralizedAutoscaler(t *testing.T) {
	t.Parallel()
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(schema.GroupVersionKind{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler"})
	u.SetNamespace("a")
	u.SetName("web")
	id := manifest.NewObject(u, nil).Identifier
	var config v1alpha1.FederatedTypeConfig
	config.Spec.Controllers = [][]string{{v1alpha1.FederatedHPAController}}
	fleet := &host.Fleet{Types: map[schema.GroupVersionKind]v1alpha1.FederatedTypeConfig{id.GroupVersionKind(): config}}
	for mode, want := range map[string]string{"": "", "distributed": "", v1alpha1.HPAModeCentralized: centralizedAutoscaler} {
		u := u.DeepCopy()
		u.SetLabels(map[string]string{v1alpha1.HPAModeLabel: mode})
		c := &content{objects: []*Object{{Identifier: id, Manifest: u}}}
		held, err := c.heldAutoscalers(t.Context(), nil, fleet, v1alpha1.PropagationPolicySpec{})
		if held[id.Key()] != want || err != nil {
			t.Errorf("mode %q: %q %v", mode, held[id.Key()], err)
		}
	}
}
