package predict

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// TestPicksOfOtherControllers checks that the scheduler does not keep an object on a member on which only the follower controller has placed it.
func TestPicksOfOtherControllers(t *testing.T) {
	t.Parallel()
	id := manifest.Identifier{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "a", Name: "web"}
	on := func(controller, cluster string) v1alpha1.PlacementWithController {
		return v1alpha1.PlacementWithController{Controller: controller, Placement: []v1alpha1.ClusterReference{{Cluster: cluster}}}
	}
	var placed convert.Federated
	placed.Spec.Placements = []v1alpha1.PlacementWithController{on(v1alpha1.FollowerController, "a"), on(v1alpha1.GlobalScheduler, "b")}
	p := &Prediction{Fleet: &host.Fleet{Federated: map[manifest.Key]convert.Federated{id.Key(): placed}}}
	picks := p.picks(scheduling{candidates: []Candidate{candidate("a", taint("NoSchedule")), candidate("b", taint("NoSchedule")), candidate("c")}}, id)
	for name, want := range map[string]bool{"a": false, "b": true, "c": true} {
		if picks[name].Selected != want {
			t.Errorf("%s: %+v", name, picks[name])
		}
	}
}
