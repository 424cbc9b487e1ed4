package predict

import (
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	cluster "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
)

var now = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// healthy is a member that has joined and reports.
func healthy(name string, labels map[string]string) cluster.MemberCluster {
	return cluster.MemberCluster{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Status: cluster.MemberClusterStatus{AgentStatus: []cluster.AgentStatus{{
			Type: member.MemberAgent, LastReceivedHeartbeat: metav1.NewTime(now.Add(-time.Second)),
			Conditions: []metav1.Condition{{Type: "Joined", Status: "True"}, {Type: "Healthy", Status: "True"}},
		}}},
	}
}

func binding(name, on, policy string) wire.ClusterResourceBinding {
	return wire.ClusterResourceBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: wire.ResourceBindingSpec{
			State: wire.BindingStateBound, TargetCluster: on, SchedulingPolicySnapshotName: policy,
			ClusterDecision: wire.ClusterDecision{ClusterName: on, Selected: true},
		},
	}
}

// The picks of a hub depend on its members and on the existing bindings, and on the changes of members in the same run.
func TestPicks(t *testing.T) {
	t.Parallel()
	region := func(name string) map[string]string { return map[string]string{"region": name} }
	two := placement.Spec{Policy: &placement.Policy{PlacementType: placement.PickN, NumberOfClusters: new(int32(2))}}
	stored := func(spec placement.Spec) *wire.ClusterSchedulingPolicySnapshot {
		policy := convert.FromPlacementSpec(spec).Policy
		policy.NumberOfClusters = nil
		return &wire.ClusterSchedulingPolicySnapshot{
			ObjectMeta: metav1.ObjectMeta{Name: "web-0"}, Spec: wire.SchedulingPolicySnapshotSpec{Policy: policy},
		}
	}
	all := []cluster.MemberCluster{healthy("a", region("east")), healthy("b", region("west")), healthy("c", region("west"))}
	silent := healthy("a", nil)
	silent.Status.AgentStatus[0].LastReceivedHeartbeat = metav1.NewTime(now.Add(-10 * time.Minute))
	leaving := healthy("b", nil)
	leaving.DeletionTimestamp = new(metav1.NewTime(now))
	tainted := healthy("a", nil)
	tainted.Spec.Taints = []cluster.Taint{{Key: "gpu", Effect: "NoSchedule"}}
	west := placement.Spec{Policy: &placement.Policy{Affinity: &placement.Affinity{ClusterAffinity: &placement.ClusterAffinity{
		Required: &placement.ClusterSelector{ClusterSelectorTerms: []placement.ClusterSelectorTerm{{LabelSelector: &metav1.LabelSelector{MatchLabels: region("west")}}}},
	}}}}
	for name, c := range map[string]struct {
		spec  placement.Spec
		fleet hub.Fleet
		world map[string]engine.Planned[member.Spec]
		want  []string
	}{
		"all":          {placement.Spec{}, hub.Fleet{Members: all}, nil, []string{"a", "b", "c"}},
		"two, new":     {two, hub.Fleet{Members: all}, nil, []string{"b", "c"}},
		"two, bound":   {two, hub.Fleet{Members: all, Policy: stored(two), Bindings: []wire.ClusterResourceBinding{binding("web-a", "a", "web-0"), binding("web-b", "b", "web-0")}}, nil, []string{"a", "b"}},
		"no heartbeat": {placement.Spec{}, hub.Fleet{Members: []cluster.MemberCluster{silent, all[1]}}, nil, []string{"b"}},
		"is leaving, bound": {two, hub.Fleet{
			Members: []cluster.MemberCluster{all[0], leaving, all[2]}, Policy: stored(two),
			Bindings: []wire.ClusterResourceBinding{binding("web-a", "a", "web-0"), binding("web-b", "b", "web-0")},
		}, nil, []string{"a", "b"}},
		"is leaving, another policy": {placement.Spec{Policy: west.Policy}, hub.Fleet{
			Members: []cluster.MemberCluster{all[0], leaving, all[2]}, Policy: stored(two),
			Bindings: []wire.ClusterResourceBinding{binding("web-a", "a", "web-0"), binding("web-b", "b", "web-0")},
		}, nil, []string{"c"}},
		"is leaving":     {placement.Spec{}, hub.Fleet{Members: []cluster.MemberCluster{all[0], leaving}}, nil, []string{"a"}},
		"leaves":         {placement.Spec{}, hub.Fleet{Members: all}, map[string]engine.Planned[member.Spec]{"b": {}}, []string{"a", "c"}},
		"joins":          {placement.Spec{}, hub.Fleet{Members: all[:1]}, map[string]engine.Planned[member.Spec]{"d": {Want: &member.Spec{Name: "d"}}}, []string{"a", "d"}},
		"by label":       {west, hub.Fleet{Members: all}, nil, []string{"b", "c"}},
		"by a new label": {west, hub.Fleet{Members: all}, map[string]engine.Planned[member.Spec]{"a": {Want: &member.Spec{Name: "a", Labels: region("west")}}}, []string{"a", "b", "c"}},
		"by a label that goes": {west, hub.Fleet{Members: all}, map[string]engine.Planned[member.Spec]{
			"b": {Want: &member.Spec{Name: "b"}, Was: &member.Spec{Name: "b", Labels: region("west")}},
		}, []string{"c"}},
		"without a taint that goes": {placement.Spec{}, hub.Fleet{Members: []cluster.MemberCluster{tainted}}, map[string]engine.Planned[member.Spec]{
			"a": {Want: &member.Spec{Name: "a"}, Was: &member.Spec{Name: "a", Taints: []member.Taint{{Key: "gpu", Effect: placement.NoSchedule}}}},
		}, []string{"a"}},
		"with a taint that another system keeps": {placement.Spec{}, hub.Fleet{Members: []cluster.MemberCluster{tainted, all[1]}}, map[string]engine.Planned[member.Spec]{
			"a": {Want: &member.Spec{Name: "a", AdoptExisting: new(true)}, Was: &member.Spec{Name: "a", Taints: []member.Taint{{Key: "ours", Effect: placement.NoSchedule}}}},
		}, []string{"b"}},
		"by its own name": {placement.Spec{Policy: &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"c", "x"}}}, hub.Fleet{Members: all}, nil, []string{"c"}},
	} {
		p := engine.Placement{Reference: engine.Reference{Name: "web"}, Spec: c.spec}
		outcome, err := schedule.Schedule(input(p, &c.fleet, engine.World{Members: c.world}, now))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got := outcome.Selected()
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v; %+v", name, got, c.want, outcome.Decisions)
		}
	}
}

// An apply waits for recently registered members that the placement would be on if their agents had reported.
func TestJoining(t *testing.T) {
	t.Parallel()
	registered := func(name string, before time.Duration, labels map[string]string) cluster.MemberCluster {
		return cluster.MemberCluster{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels, CreationTimestamp: metav1.NewTime(now.Add(-before))}}
	}
	leaving := registered("leaving", time.Second, nil)
	leaving.DeletionTimestamp = new(metav1.NewTime(now))
	fleet := &hub.Fleet{Members: []cluster.MemberCluster{
		healthy("joined", nil), leaving, registered("new", time.Second, nil), registered("old", time.Hour, nil),
	}}
	for name, c := range map[string]struct {
		policy *placement.Policy
		want   []string
	}{
		"all":     {nil, []string{"new"}},
		"others":  {&placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"joined", "old"}}, nil},
		"by name": {&placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"new", "old"}}, []string{"new"}},
	} {
		got := selectedJoining(engine.Placement{Reference: engine.Reference{Name: "web"}, Spec: placement.Spec{Policy: c.policy}}, fleet, now)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// Whether a member has joined depends on the report of its agent only, whether the member is picked or not.
func TestHasJoined(t *testing.T) {
	t.Parallel()
	silent := cluster.MemberCluster{ObjectMeta: metav1.ObjectMeta{Name: "silent"}}
	left := healthy("left", nil)
	left.Status.AgentStatus[0].Conditions[0].Status = metav1.ConditionFalse
	p := &Prediction{Fleet: &hub.Fleet{Members: []cluster.MemberCluster{healthy("joined", nil), left, silent}}}
	for name, want := range map[string]bool{"joined": true, "left": false, "silent": false, "unknown": false} {
		if got := p.HasJoined(name); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// A policy that differs only in its number of clusters is the same for the hub: its bindings are not obsolete.
func TestObsoleteBindings(t *testing.T) {
	t.Parallel()
	spec := func(n int32, tolerations ...placement.Toleration) placement.Spec {
		return placement.Spec{Policy: &placement.Policy{PlacementType: placement.PickN, NumberOfClusters: new(n), Tolerations: tolerations}}
	}
	fleet := &hub.Fleet{
		Members: []cluster.MemberCluster{healthy("a", nil)},
		Policy: &wire.ClusterSchedulingPolicySnapshot{
			ObjectMeta: metav1.ObjectMeta{Name: "web-1"}, Spec: wire.SchedulingPolicySnapshotSpec{Policy: &wire.PlacementPolicy{PlacementType: "PickN"}},
		},
		Bindings: []wire.ClusterResourceBinding{binding("web-a", "a", "web-1"), binding("web-b", "b", "web-0")},
	}
	for name, c := range map[string]struct {
		spec placement.Spec
		want []bool
	}{
		"the same":       {spec(1), []bool{false, true}},
		"another number": {spec(3), []bool{false, true}},
		"another policy": {spec(1, placement.Toleration{Key: "gpu", Operator: "Exists"}), []bool{true, true}},
	} {
		got := input(engine.Placement{Spec: c.spec}, fleet, engine.World{}, now).Bindings
		if len(got) != 2 || got[0].Obsolete != c.want[0] || got[1].Obsolete != c.want[1] {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
