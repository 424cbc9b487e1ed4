package kubeadmiral

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestDisabledCollection checks that an apply does not wait for an object of a kind whose FederatedTypeConfig lists fields but does not enable the collection.
func TestDisabledCollection(t *testing.T) {
	t.Parallel()
	id := manifest.Identifier{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "a", Name: "web"}
	for _, enabled := range []bool{true, false} {
		var config v1alpha1.FederatedTypeConfig
		config.Spec.SourceType = v1alpha1.APIResource{Group: id.Group, Version: id.Version, Kind: id.Kind, PluralName: "deployments"}
		config.Spec.StatusCollection = &v1alpha1.StatusCollection{Enabled: enabled, Fields: []string{"metadata.generation", "spec.replicas", "status"}}
		var applied convert.Federated
		applied.Status.Clusters = []v1alpha1.PropagationStatus{{Cluster: "member-1", Status: v1alpha1.StatusOK}}
		a := &account{
			objects: []manifest.Identifier{id}, federated: map[key]convert.Federated{id.Key(): applied},
			types: map[schema.GroupVersionKind]v1alpha1.FederatedTypeConfig{id.GroupVersionKind(): config},
		}
		out := placement.ClusterOutcome{Scheduled: true}
		a.await(&out, expected{name: "member-1", places: func(key) bool { return true }}, nil)
		if waits := len(out.Waiting) == 1; waits != enabled || out.Untracked == 1 == enabled || a.unread != enabled {
			t.Errorf("enabled %v: %+v", enabled, out)
		}
	}
}
