package predict

import (
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestRollout checks the order of a rollout. The first content reaches all clusters at the same time. New content reaches the failed clusters first,
// regardless of the state of the others. Then it reaches as many clusters as max_unavailable allows. Additions are limited by max_surge. A cluster that is not
// reached waits for the clusters that are not available.
func TestRollout(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings placement.RollingUpdate
		bound    int // the number of bound clusters, out of four
		changes  bool
		failed   string // the reason why c2 is not available
		number   int32  // the number of clusters that the policy requests; 0 for all
		want     string
		hold     string
	}{
		"first":                     {bound: 0, changes: true, want: "[[c1 c2 c3 c4]]"},
		"one at a time":             {bound: 4, changes: true, want: "[[c1] [c2] [c3] [c4]]"},
		"two at a time":             {settings: placement.RollingUpdate{MaxUnavailable: "50%"}, bound: 4, changes: true, want: "[[c1 c2] [c3 c4]]"},
		"nothing changes":           {bound: 4, want: "[]"},
		"one more, nothing changes": {bound: 3, want: "[[c4]]"},
		"none may be unavailable": {
			settings: placement.RollingUpdate{MaxUnavailable: "0", MaxSurge: "1"}, bound: 4, changes: true, want: "[]",
			hold: "{[c1 c2 c3 c4] 0 [] 0}",
		},
		"one has failed": {
			bound: 4, changes: true, failed: "NotAllWorkHaveBeenApplied", want: "[[c2]]",
			hold: "{[c1 c3 c4] 1 [{c2 Applied is False (NotAllWorkHaveBeenApplied)}] 0}",
		},
		"one is on its way": {
			bound: 4, changes: true, failed: "ApplyPending", want: "[]",
			hold: "{[c1 c2 c3 c4] 1 [{c2 Applied is False (ApplyPending)}] 0}",
		},
		"one has failed, and one more may": {
			settings: placement.RollingUpdate{MaxUnavailable: "2"}, bound: 4, changes: true, failed: "NotAllWorkHaveBeenApplied",
			want: "[[c2 c1] [c3] [c4]]",
		},
		"fewer than are asked for": {bound: 4, changes: true, number: 6, want: "[]", hold: "{[c1 c2 c3 c4] 2 [] 2}"},
	} {
		p := &Prediction{
			Spec: placement.Spec{Strategy: &placement.Strategy{RollingUpdate: &c.settings}}.Defaulted(), ContentChanges: c.changes, Fleet: &hub.Fleet{},
			Placement: engine.Placement{},
		}
		if c.number > 0 {
			p.Spec.Policy = &placement.Policy{PlacementType: placement.PickN, NumberOfClusters: &c.number}
		}
		for i := range 4 {
			one := &Cluster{Name: fmt.Sprintf("c%d", i+1), prediction: p, placed: true}
			one.Decision = schedule.Decision{Cluster: one.Name, Selected: true}
			if i < c.bound {
				at := metav1.Condition{Type: placement.Available, Status: metav1.ConditionTrue}
				if i == 1 && c.failed != "" {
					at = metav1.Condition{Type: placement.Applied, Status: metav1.ConditionFalse, Reason: c.failed}
				}
				one.binding = &wire.ClusterResourceBinding{
					Spec: wire.ResourceBindingSpec{TargetCluster: one.Name}, Status: wire.ResourceBindingStatus{Conditions: []metav1.Condition{at}},
				}
				p.Fleet.Bindings = append(p.Fleet.Bindings, *one.binding)
			}
			p.Clusters = append(p.Clusters, one)
			p.Outcome.Decisions = append(p.Outcome.Decisions, one.Decision)
		}
		order, hold := p.rollout()
		if got := fmt.Sprint(order); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		held := ""
		if hold != nil {
			held = fmt.Sprint(*hold)
		}
		if held != c.hold {
			t.Errorf("%s: it is held by %s, want %s", name, held, c.hold)
		}
	}
}

// The rollout first removes the placement from clusters that it leaves. These removals count against the same maximum of unavailable clusters.
func TestRolloutWhileLeaving(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wanted  int32
		bound   []string
		deleted string // a binding that is being deleted
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
			one := &Cluster{Name: name, prediction: p, placed: slices.Contains(c.placed, name)}
			p.Clusters = append(p.Clusters, one)
			if !slices.Contains(c.bound, name) {
				continue
			}
			one.binding = &wire.ClusterResourceBinding{
				ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: wire.ResourceBindingSpec{TargetCluster: name},
				Status: wire.ResourceBindingStatus{Conditions: []metav1.Condition{{Type: placement.Available, Status: metav1.ConditionTrue}}},
			}
			if name == c.deleted {
				one.binding.DeletionTimestamp = &metav1.Time{}
			}
			p.Fleet.Bindings = append(p.Fleet.Bindings, *one.binding)
		}
		order, _ := p.rollout()
		if got := fmt.Sprint(order); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// With the strategy type ReportDiff, clusters whose agents have reported do not count for max_surge. Other clusters count, and so do reports of a former type.
func TestRolloutOfReports(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		how      placement.ApplyType
		reported bool
		surge    string
		want     string
	}{
		"both have reported":                {placement.ReportDiff, true, "0", "[[c3 c4]]"},
		"none has reported":                 {placement.ReportDiff, false, "1", "[[c3] [c4]]"},
		"reported, and applied from now on": {placement.ClientSideApply, true, "0", "[[c3] [c4]]"},
	} {
		p := &Prediction{Fleet: &hub.Fleet{}, Spec: placement.Spec{
			Policy: &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"c3", "c4"}},
			Strategy: &placement.Strategy{
				RollingUpdate: &placement.RollingUpdate{MaxSurge: c.surge}, ApplyStrategy: &placement.ApplyStrategy{Type: c.how},
			},
		}.Defaulted()}
		for i, name := range []string{"c1", "c2", "c3", "c4"} {
			one := &Cluster{Name: name, prediction: p, placed: i >= 2}
			p.Clusters = append(p.Clusters, one)
			if one.placed {
				continue
			}
			one.binding = &wire.ClusterResourceBinding{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: wire.ResourceBindingSpec{TargetCluster: name}}
			if c.reported {
				one.binding.Status.Conditions = []metav1.Condition{{Type: placement.DiffReported, Status: metav1.ConditionTrue}}
			}
			p.Fleet.Bindings = append(p.Fleet.Bindings, *one.binding)
		}
		order, _ := p.rollout()
		if got := fmt.Sprint(order); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestRolloutHoldsRemovals checks that the rollout blocks the removal from a cluster if too few clusters are available. Clusters that a policy requests but
// does not find count as unavailable, and the cluster that the placement leaves is itself not available.
func TestRolloutHoldsRemovals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		number int32
		want   string
	}{
		"one cluster of three": {3, "{[c2] 1 [{c1 Applied is False (ApplyPending)} {c2 Applied is False (ApplyPending)}] 2}"},
		"no cluster of one":    {1, "{[c2] 1 [{c1 Applied is False (ApplyPending)} {c2 Applied is False (ApplyPending)}] 0}"},
		"no cluster":           {0, "{[c2] 0 [{c1 Applied is False (ApplyPending)} {c2 Applied is False (ApplyPending)}] 0}"},
	} {
		policy := &placement.Policy{PlacementType: placement.PickN, NumberOfClusters: &c.number}
		p := &Prediction{Spec: placement.Spec{Policy: policy, Strategy: &placement.Strategy{}}.Defaulted(), Fleet: &hub.Fleet{}}
		for _, name := range []string{"c1", "c2"} {
			one := &Cluster{Name: name, prediction: p, placed: name == "c1", binding: &wire.ClusterResourceBinding{
				ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: wire.ResourceBindingSpec{TargetCluster: name},
				Status: wire.ResourceBindingStatus{Conditions: []metav1.Condition{{Type: placement.Applied, Status: metav1.ConditionFalse, Reason: "ApplyPending"}}},
			}}
			one.Decision = schedule.Decision{Cluster: name, Selected: one.placed}
			p.Clusters, p.Outcome.Decisions = append(p.Clusters, one), append(p.Outcome.Decisions, one.Decision)
			p.Fleet.Bindings = append(p.Fleet.Bindings, *one.binding)
		}
		if _, hold := p.rollout(); hold == nil || fmt.Sprint(*hold) != c.want {
			t.Errorf("%s: it is held by %v, want %s", name, hold, c.want)
		}
	}
}

// TestRolloutWithConflicts checks that clusters on which an object cannot be applied do not count as available once the rollout has updated them.
func TestRolloutWithConflicts(t *testing.T) {
	t.Parallel()
	conflict := &memberpreview.Object{}
	conflict.Identifier = manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "web", Name: "settings"}
	conflict.Action, conflict.Reason = takeover.ActionLeaveAlone, "FailedToTakeOver"
	const why = "ConfigMap web/settings: FailedToTakeOver"
	for name, c := range map[string]struct {
		bound, placed, conflicts []string
		want, hold               string
	}{
		"on what is added": {
			bound: []string{"c1"}, placed: []string{"c1", "c2", "c3"}, conflicts: []string{"c2", "c3"}, want: "[[c2 c3]]",
			hold: "{[c1] 1 [{c2 " + why + "} {c3 " + why + "}] 0}",
		},
		"on what is updated": {
			bound: []string{"c1", "c2", "c3"}, placed: []string{"c1", "c2", "c3"}, conflicts: []string{"c1"}, want: "[[c1]]",
			hold: "{[c2 c3] 1 [{c1 " + why + "}] 0}",
		},
		"on what replaces another": {
			bound: []string{"c1"}, placed: []string{"c2"}, conflicts: []string{"c2"}, want: "[[c2]]", hold: "{[c1] 0 [{c2 " + why + "}] 0}",
		},
	} {
		p := &Prediction{Spec: placement.Spec{Strategy: &placement.Strategy{}}.Defaulted(), ContentChanges: true, Fleet: &hub.Fleet{}}
		if name == "on what replaces another" {
			p.Spec.Strategy.RollingUpdate.MaxUnavailable = "0"
		}
		for _, name := range []string{"c1", "c2", "c3"} {
			one := &Cluster{Name: name, prediction: p, placed: slices.Contains(c.placed, name)}
			one.Decision = schedule.Decision{Cluster: name, Selected: one.placed}
			if slices.Contains(c.conflicts, name) {
				one.Items = []*memberpreview.Object{conflict}
			}
			if slices.Contains(c.bound, name) {
				one.binding = &wire.ClusterResourceBinding{
					ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: wire.ResourceBindingSpec{TargetCluster: name},
					Status: wire.ResourceBindingStatus{Conditions: []metav1.Condition{{Type: placement.Available, Status: metav1.ConditionTrue}}},
				}
				p.Fleet.Bindings = append(p.Fleet.Bindings, *one.binding)
			}
			p.Clusters, p.Outcome.Decisions = append(p.Clusters, one), append(p.Outcome.Decisions, one.Decision)
		}
		order, hold := p.rollout()
		if got := fmt.Sprint(order); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if hold == nil || fmt.Sprint(*hold) != c.hold {
			t.Errorf("%s: it is held by %v, want %s", name, hold, c.hold)
		}
	}
}
