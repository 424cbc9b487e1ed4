package predict

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	cluster "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
)

// While its policy is unchanged or names no cluster, a placement remains on the clusters of its bindings, even if the scheduler would not pick them now. It
// does not remain on a cluster whose binding is being deleted.
func TestStays(t *testing.T) {
	t.Parallel()
	silent := healthy("b", nil)
	silent.Status.AgentStatus[0].LastReceivedHeartbeat = metav1.NewTime(now.Add(-10 * time.Minute))
	named := func(names ...string) placement.Spec {
		return placement.Spec{Policy: &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: names}}
	}
	evicted := binding("web-b", "b", "web-0")
	evicted.DeletionTimestamp = new(metav1.NewTime(now))
	for name, c := range map[string]struct {
		was, spec placement.Spec
		on        []wire.ClusterResourceBinding
		want      string // the cluster, whether it has the placement, and whether that changes
	}{
		"its agent is silent":                 {named("a", "b"), named("a", "b"), []wire.ClusterResourceBinding{binding("web-a", "a", "web-0"), binding("web-b", "b", "web-0")}, "a:true,false b:true,false"},
		"its agent is silent, and names more": {named("b"), named("a", "b"), []wire.ClusterResourceBinding{binding("web-b", "b", "web-0")}, "a:true,true b:false,true"},
		"no cluster is named any more":        {named("a", "b"), named(), []wire.ClusterResourceBinding{binding("web-a", "a", "web-0"), binding("web-b", "b", "web-0")}, "a:true,false b:true,false"},
		"it is evicted":                       {named("b"), named("b"), []wire.ClusterResourceBinding{evicted}, "a:false,false b:false,true"},
	} {
		fleet := &hub.Fleet{Members: []cluster.MemberCluster{healthy("a", nil), silent}, Bindings: c.on, Policy: &wire.ClusterSchedulingPolicySnapshot{
			ObjectMeta: metav1.ObjectMeta{Name: "web-0"}, Spec: wire.SchedulingPolicySnapshotSpec{Policy: convert.FromPlacementSpec(c.was).Policy},
		}}
		p := &Prediction{Placement: engine.Placement{Reference: engine.Reference{Name: "web"}, Spec: c.spec}, Fleet: fleet}
		outcome, err := schedule.Schedule(input(p.Placement, fleet, engine.World{}, now))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		p.Outcome = outcome
		p.newClusters(p.options.World.Overridden(p.Overrides))
		var got string
		for _, c := range p.Clusters {
			got += fmt.Sprintf(" %s:%t,%t", c.Name, c.preview().Picked, c.moves())
		}
		if got[1:] != c.want {
			t.Errorf("%s:%s, want %s", name, got, c.want)
		}
	}
}
