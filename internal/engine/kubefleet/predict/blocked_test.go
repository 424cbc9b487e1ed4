package predict

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	cluster "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
)

// predicted returns the prediction for a placement that is on the hub with a policy, without checking any member.
func predicted(t *testing.T, name string, was, spec placement.Spec, members []cluster.MemberCluster, bindings ...wire.ClusterResourceBinding) *Prediction {
	t.Helper()
	out := &Prediction{
		Placement: engine.Placement{Reference: engine.Reference{Name: name}, Spec: spec}, Spec: spec.Defaulted(),
		Fleet: &hub.Fleet{
			Members: members, Bindings: bindings, Placement: &wire.ClusterResourcePlacement{ObjectMeta: metav1.ObjectMeta{Name: name}},
			Policy: &wire.ClusterSchedulingPolicySnapshot{
				ObjectMeta: metav1.ObjectMeta{Name: "web-0"}, Spec: wire.SchedulingPolicySnapshotSpec{Policy: convert.FromPlacementSpec(was).Policy},
			},
		},
	}
	var err error
	if out.Outcome, err = schedule.Schedule(input(out.Placement, out.Fleet, engine.World{}, now)); err != nil {
		t.Fatal(err)
	}
	return out
}

// If the scheduler of a hub cannot use the name of a placement for the name of a binding, the placement never reaches another cluster. Objects that the hub has
// already placed remain.
func TestBlocked(t *testing.T) {
	t.Parallel()
	members := []cluster.MemberCluster{healthy("a", nil), healthy("b", nil)}
	for name, c := range map[string]struct {
		placement string
		on        []wire.ClusterResourceBinding
		blocked   bool
		want      string
	}{
		"a dot":               {"web.prod", nil, true, "a:false,false b:false,false"},
		"a dot, and bound":    {"web.prod", []wire.ClusterResourceBinding{binding("web-a", "a", "web-0")}, true, "a:true,false b:false,false"},
		"a dot at the end":    {strings.Repeat("w", schedule.MaxPlacementPart) + ".prod", nil, false, "a:true,true b:true,true"},
		"no dot":              {"web", nil, false, "a:true,true b:true,true"},
		"a dot, bound to all": {"web.prod", []wire.ClusterResourceBinding{binding("web-a", "a", "web-0"), binding("web-b", "b", "web-0")}, false, "a:true,false b:true,false"},
	} {
		p := predicted(t, c.placement, placement.Spec{}, placement.Spec{}, members, c.on...)
		p.newClusters(p.Overrides)
		var got string
		for _, one := range p.Clusters {
			preview := one.preview()
			got += fmt.Sprintf(" %s:%t,%t", one.Name, preview.Picked, preview.Resume)
			if c.blocked != strings.Contains(preview.Cause, "scheduler has stopped") && !preview.Picked {
				t.Errorf("%s: %s: %s", name, one.Name, preview.Cause)
			}
		}
		if got[1:] != c.want || p.IsBlocked() != c.blocked {
			t.Errorf("%s:%s, blocked %t, want %s", name, got, p.IsBlocked(), c.want)
		}
	}
}

// For a cluster that the scheduler does not decide about again, the reason is the one that the hub reports.
func TestReportedReasons(t *testing.T) {
	t.Parallel()
	one := placement.Spec{Policy: &placement.Policy{PlacementType: placement.PickN, NumberOfClusters: new(int32(1))}}
	p := predicted(t, "web", one, one, []cluster.MemberCluster{healthy("a", nil), healthy("b", nil), healthy("c", nil)}, binding("web-a", "a", "web-0"))
	p.reasons = reasonsOf([]wire.ClusterDecision{
		{ClusterName: "a", Selected: true, Reason: "picked"}, {ClusterName: "b", Reason: `Cluster "b" does not score high enough (affinity score: 48, topology spread score: 0)`},
	})
	p.newClusters(p.Overrides)
	for name, want := range map[string]string{
		"b": "does not score high enough (affinity score: 48, topology spread score: 0)", "c": "not asked for by the placement policy",
	} {
		if got := p.Cluster(name).preview(); got.Picked || got.Cause != want {
			t.Errorf("%s: %t, %s", name, got.Picked, got.Cause)
		}
	}
	if p.decidesOnAll() {
		t.Error("the scheduler decides about all clusters")
	}
}

// With strategy External the scheduler only marks a cluster for removal: after that, an apply has nothing to do there.
func TestExternalMoves(t *testing.T) {
	t.Parallel()
	marked := binding("web-b", "b", "web-0")
	marked.Spec.State = wire.BindingStateUnscheduled
	one, two := []string{"a"}, []string{"a", "b"}
	for name, c := range map[string]struct {
		strategy   placement.StrategyType
		was, names []string
		b          wire.ClusterResourceBinding
		want       bool
	}{
		"to be marked":         {placement.ExternalStrategy, two, one, binding("web-b", "b", "web-0"), true},
		"marked":               {placement.ExternalStrategy, one, one, marked, false},
		"marked, and rolled":   {placement.RollingUpdateStrategy, one, one, marked, true},
		"marked, and is named": {placement.ExternalStrategy, one, two, marked, true},
		"stays":                {placement.ExternalStrategy, two, two, binding("web-b", "b", "web-0"), false},
	} {
		c.b.Annotations = map[string]string{previousState: wire.BindingStateBound}
		naming := func(names []string) placement.Spec {
			return placement.Spec{
				Policy: &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: names}, Strategy: &placement.Strategy{Type: c.strategy},
			}
		}
		p := predicted(t, "web", naming(c.was), naming(c.names), []cluster.MemberCluster{healthy("a", nil), healthy("b", nil)}, binding("web-a", "a", "web-0"), c.b)
		p.newClusters(p.Overrides)
		if got := p.Cluster("b").moves(); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
