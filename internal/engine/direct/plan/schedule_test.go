package plan

import (
	"errors"
	"slices"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
)

// TestPickedMemberWithoutConnection checks that a picked member keeps its place while it is unreachable, and loses it when the provider no longer has a
// connection to it, as a cluster without a MemberCluster does in KubeFleet. A refresh does not change the picks.
func TestPickedMemberWithoutConnection(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err     error
		purpose Purpose
		want    string
	}{
		"does not answer":             {&engine.UnreachableError{Cluster: "a", Err: errors.New("no route")}, Applying, "a"},
		"no connection":               {&engine.NotConfiguredError{Member: "a"}, Applying, "b"},
		"no connection, previewed":    {&engine.NotConfiguredError{Member: "a"}, Previewing, "b"},
		"no connection, only looking": {&engine.NotConfiguredError{Member: "a"}, Reading, "a"},
	} {
		scheduled := placement.Condition{Type: placement.Scheduled, Status: placement.True}
		p := &Plan{
			Placement: engine.Placement{Prior: &placement.Status{Clusters: map[string]placement.ClusterStatus{"a": {Conditions: []placement.Condition{scheduled}}}}},
			Spec:      placement.Spec{Policy: &placement.Policy{PlacementType: placement.PickN, NumberOfClusters: new(int32(1))}}.Defaulted(),
			options:   Options{Purpose: test.purpose},
		}
		outcome, err := p.schedule([]*MemberState{
			{Name: "a", Err: test.err}, {Name: "b", UID: "u", Record: &record.Member{Spec: member.Spec{Name: "b"}, ClusterUID: "u"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		picked := selected(outcome)
		if !slices.Equal(picked, []string{test.want}) {
			t.Errorf("%s: picked %v, want %s", name, picked, test.want)
		}
	}
}

// TestPickedMemberWithLostRecord checks that a picked member keeps its place if its record is lost or does not verify, even if the scheduler would now prefer
// another member.
func TestPickedMemberWithLostRecord(t *testing.T) {
	t.Parallel()
	scheduled := placement.ClusterStatus{Conditions: []placement.Condition{{Type: placement.Scheduled, Status: placement.True}}}
	unproven := (&record.Inventory{Head: record.Head{Name: "p"}}).Unproven()
	for _, picked := range []string{"a", "b"} {
		for name, inventory := range map[string]*record.Inventory{"missing": nil, "unproven": unproven} {
			p := &Plan{
				Placement: engine.Placement{Prior: &placement.Status{Clusters: map[string]placement.ClusterStatus{picked: scheduled}}},
				Spec:      placement.Spec{Policy: &placement.Policy{PlacementType: placement.PickN, NumberOfClusters: new(int32(1))}}.Defaulted(),
			}
			var members []*MemberState
			for _, cluster := range []string{"a", "b"} {
				members = append(members, newJoined(cluster))
				if cluster == picked {
					members[len(members)-1].Inventory, members[len(members)-1].RecordLost = inventory, true
				}
			}
			outcome, err := p.schedule(members)
			if err != nil {
				t.Fatal(err)
			}
			for _, decision := range outcome.Decisions {
				if decision.Selected != (decision.Cluster == picked) {
					t.Errorf("%s record on %s: picked %s: %v", name, picked, decision.Cluster, decision.Selected)
				}
			}
		}
	}
}

// TestUnreachableMemberUnderAnotherPolicy checks that an unreachable member loses its place under a new policy of type PickN, because it would displace a
// reachable one. Under the same policy it keeps its place, even if the number changes.
func TestUnreachableMemberUnderAnotherPolicy(t *testing.T) {
	t.Parallel()
	scheduled := placement.ClusterStatus{Conditions: []placement.Condition{{Type: placement.Scheduled, Status: placement.True}}}
	pickN := func(number int32) placement.Spec {
		return placement.Spec{Policy: &placement.Policy{PlacementType: placement.PickN, NumberOfClusters: new(number)}}.Defaulted()
	}
	for name, test := range map[string]struct {
		before, after placement.Spec
		want          []string
	}{
		"another policy":       {placement.Spec{}.Defaulted(), pickN(1), []string{"b"}},
		"only another number":  {pickN(1), pickN(2), []string{"a", "b"}},
		"another, and PickAll": {pickN(2), placement.Spec{}.Defaulted(), []string{"a", "b"}},
	} {
		p := &Plan{
			Placement: engine.Placement{Prior: &placement.Status{Clusters: map[string]placement.ClusterStatus{"a": scheduled, "b": scheduled}}},
			Spec:      test.after,
		}
		b := newJoined("b")
		b.Inventory = &record.Inventory{Head: record.Head{Name: "p", ClusterUID: b.UID, Picked: true}, Spec: test.before}
		outcome, err := p.schedule([]*MemberState{{Name: "a", Err: &engine.UnreachableError{Cluster: "a", Err: errors.New("no route")}}, b})
		if err != nil {
			t.Fatal(err)
		}
		picked := selected(outcome)
		if !slices.Equal(picked, test.want) {
			t.Errorf("%s: picked %v, want %v", name, picked, test.want)
		}
	}
}

// selected returns the clusters that the scheduler picks, by name.
func selected(outcome schedule.Outcome) []string {
	var out []string
	for _, decision := range outcome.Decisions {
		if decision.Selected {
			out = append(out, decision.Cluster)
		}
	}
	slices.Sort(out)
	return out
}

// TestPolicyChangeThatEndedEarly checks that an unreachable member does not displace a reachable one under a new policy of type PickN, if an earlier apply has
// written the new policy to one of the records only.
func TestPolicyChangeThatEndedEarly(t *testing.T) {
	t.Parallel()
	scheduled := placement.ClusterStatus{Conditions: []placement.Condition{{Type: placement.Scheduled, Status: placement.True, ObservedGeneration: 1}}}
	before := placement.Spec{}.Defaulted()
	after := placement.Spec{Policy: &placement.Policy{PlacementType: placement.PickN, NumberOfClusters: new(int32(2))}}.Defaulted()
	p := &Plan{
		Placement: engine.Placement{Prior: &placement.Status{Clusters: map[string]placement.ClusterStatus{"a": scheduled, "b": scheduled, "c": scheduled}}},
		Spec:      after,
	}
	b, c := newJoined("b"), newJoined("c")
	b.Inventory = &record.Inventory{Head: record.Head{Name: "p", ClusterUID: b.UID, Picked: true, Generation: 2}, Spec: after}
	c.Inventory = &record.Inventory{Head: record.Head{Name: "p", ClusterUID: c.UID, Picked: true, Generation: 1}, Spec: before}
	outcome, err := p.schedule([]*MemberState{{Name: "a", Err: &engine.UnreachableError{Cluster: "a", Err: errors.New("no route")}}, b, c})
	if err != nil {
		t.Fatal(err)
	}
	if picked := selected(outcome); !slices.Equal(picked, []string{"b", "c"}) {
		t.Errorf("picked %v", picked)
	}
}

// TestMemberThatMissedTwoChanges checks that a member that was unreachable while the policy was changed and changed back does not displace the member that was
// picked in the meantime.
func TestMemberThatMissedTwoChanges(t *testing.T) {
	t.Parallel()
	is := func(status string) placement.ClusterStatus {
		return placement.ClusterStatus{Conditions: []placement.Condition{{Type: placement.Scheduled, Status: status, ObservedGeneration: 3}}}
	}
	p := &Plan{
		Placement: engine.Placement{Prior: &placement.Status{
			Clusters:   map[string]placement.ClusterStatus{"a": is(placement.True), "b": is(placement.False)},
			Conditions: []placement.Condition{{Type: placement.Scheduled, ObservedGeneration: 3}},
		}},
		Spec: placement.Spec{Policy: &placement.Policy{PlacementType: placement.PickN, NumberOfClusters: new(int32(1))}}.Defaulted(),
	}
	a, b := newJoined("a"), newJoined("b")
	a.Inventory = &record.Inventory{Head: record.Head{Name: "p", ClusterUID: a.UID, Picked: true, Generation: 3}, Spec: p.Spec}
	b.Inventory = &record.Inventory{Head: record.Head{Name: "p", ClusterUID: b.UID, Picked: true, Generation: 1}, Spec: p.Spec}
	outcome, err := p.schedule([]*MemberState{a, b})
	if err != nil {
		t.Fatal(err)
	}
	if picked := outcome.Selected(); !slices.Equal(picked, []string{"a"}) {
		t.Errorf("picked %v", picked)
	}
}

// newJoined returns a registered member.
func newJoined(name string) *MemberState {
	return &MemberState{Name: name, UID: "u-" + name, Record: &record.Member{Spec: member.Spec{Name: name}, ClusterUID: "u-" + name}}
}
