package predict

import (
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
)

// The first content reaches all clusters at once; a new one as many as may be unavailable; additions as many as the surge lets in.
func TestRollout(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings placement.RollingUpdate
		bound    int // of four clusters
		changes  bool
		want     string
	}{
		"first":                     {placement.RollingUpdate{}, 0, true, "[[c1 c2 c3 c4]]"},
		"one at a time":             {placement.RollingUpdate{}, 4, true, "[[c1] [c2] [c3] [c4]]"},
		"two at a time":             {placement.RollingUpdate{MaxUnavailable: "50%"}, 4, true, "[[c1 c2] [c3 c4]]"},
		"none may be unavailable":   {placement.RollingUpdate{MaxUnavailable: "0", MaxSurge: "1"}, 4, true, "[]"},
		"nothing changes":           {placement.RollingUpdate{}, 4, false, "[]"},
		"one more, nothing changes": {placement.RollingUpdate{}, 3, false, "[[c4]]"},
	} {
		p := &Prediction{
			Spec: placement.Spec{Strategy: &placement.Strategy{RollingUpdate: &c.settings}}.Defaulted(), ContentChanges: c.changes, Fleet: &hub.Fleet{},
			Placement: engine.Placement{},
		}
		for i := range 4 {
			name := fmt.Sprintf("c%d", i+1)
			p.Clusters = append(p.Clusters, &Cluster{Name: name, placed: true, bound: i < c.bound})
			p.Outcome.Decisions = append(p.Outcome.Decisions, schedule.Decision{Cluster: name, Selected: true})
			if i < c.bound {
				p.Fleet.Bindings = append(p.Fleet.Bindings, wire.ClusterResourceBinding{Spec: wire.ResourceBindingSpec{TargetCluster: name}})
			}
		}
		if got := fmt.Sprint(p.rollout()); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// What the placement leaves comes first, out of the same number of clusters that may be unavailable.
func TestRolloutWhileLeaving(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wanted  int32
		bound   []string
		deleted string // a binding that is on its way
		placed  []string
		want    string
	}{
		"fewer clusters":             {2, []string{"c1", "c2", "c3", "c4"}, "", []string{"c3", "c4"}, "[[c3] [c4]]"},
		"one fewer":                  {3, []string{"c1", "c2", "c3", "c4"}, "", []string{"c2", "c3", "c4"}, "[[c2] [c3] [c4]]"},
		"one fewer, going already":   {3, []string{"c1", "c2", "c3", "c4"}, "c1", []string{"c2", "c3", "c4"}, "[[c2] [c3] [c4]]"},
		"others":                     {2, []string{"c1", "c2"}, "", []string{"c3", "c4"}, "[[c3] [c4]]"},
		"another, which makes room":  {3, []string{"c1", "c2", "c3"}, "", []string{"c2", "c3", "c4"}, "[[c4] [c2] [c3]]"},
		"none, and there is nothing": {0, []string{"c1"}, "", nil, "[]"},
	} {
		policy := &placement.Policy{PlacementType: placement.PickN, NumberOfClusters: &c.wanted}
		p := &Prediction{Spec: placement.Spec{Policy: policy, Strategy: &placement.Strategy{}}.Defaulted(), ContentChanges: true, Fleet: &hub.Fleet{}}
		for i := range 4 {
			name := fmt.Sprintf("c%d", i+1)
			p.Clusters = append(p.Clusters, &Cluster{Name: name, placed: slices.Contains(c.placed, name), bound: slices.Contains(c.bound, name)})
		}
		for _, name := range c.bound {
			b := wire.ClusterResourceBinding{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: wire.ResourceBindingSpec{TargetCluster: name}}
			if name == c.deleted {
				b.DeletionTimestamp = &metav1.Time{}
			}
			p.Fleet.Bindings = append(p.Fleet.Bindings, b)
		}
		if got := fmt.Sprint(p.rollout()); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
