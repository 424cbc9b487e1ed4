package plan

import (
	"errors"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

func registration(name, environment string) member.Spec {
	return member.Spec{Name: name, Labels: map[string]string{"environment": environment}}
}

// TestPlannedMembers checks that the survey includes the known changes that this run makes to members.
func TestPlannedMembers(t *testing.T) {
	t.Parallel()
	planned := func(environment string) engine.Planned[member.Spec] {
		return engine.Planned[member.Spec]{Want: new(registration("a", environment))}
	}
	partial := engine.Planned[member.Spec]{Want: &member.Spec{Name: "a"}, Partial: true}
	for name, c := range map[string]struct {
		joined           bool
		err              error
		planned          *engine.Planned[member.Spec]
		joining, leaving bool
		label            string
		member           bool
	}{
		"nothing planned":            {joined: true, label: "before", member: true},
		"joins":                      {planned: new(planned("after")), joining: true, label: "after", member: true},
		"changes":                    {joined: true, planned: new(planned("after")), label: "after", member: true},
		"leaves":                     {joined: true, planned: new(engine.Planned[member.Spec]{}), leaving: true},
		"was not there and is not":   {planned: new(engine.Planned[member.Spec]{})},
		"joins with unknown labels":  {planned: &partial, joining: true, member: true},
		"changes to unknown labels":  {joined: true, planned: &partial, label: "before", member: true},
		"leaves and does not answer": {joined: true, err: errors.New("no route"), planned: new(engine.Planned[member.Spec]{}), label: "before", member: true},
	} {
		m := &MemberState{Name: "a", UID: "uid", Err: c.err}
		if c.joined {
			m.Record = &record.Member{Spec: registration("a", "before"), ClusterUID: "uid"}
		}
		world := engine.World{}
		if c.planned != nil {
			world.Members = map[string]engine.Planned[member.Spec]{"a": *c.planned}
		}
		(&Survey{Members: []*MemberState{m}}).predict(world)
		if m.Joining != c.joining || m.Leaving != c.leaving || m.Joined() != c.member {
			t.Errorf("%s: joining %v, leaving %v, a member %v", name, m.Joining, m.Leaving, m.Joined())
		}
		if m.Joined() && m.Record.Labels["environment"] != c.label {
			t.Errorf("%s: %v", name, m.Record.Labels)
		}
	}
}

// TestPlannedOverrides checks that the survey includes the changes that this run makes to overrides. An override that is only partially known remains
// unchanged.
func TestPlannedOverrides(t *testing.T) {
	t.Parallel()
	m := &MemberState{Name: "a", Overrides: override.Overrides{
		Cluster:    []override.ClusterResourceOverride{{Name: "removed"}, {Name: "same"}},
		Namespaced: []override.ResourceOverride{{Namespace: "web", Name: "same"}, {Namespace: "web", Name: "partial"}},
	}}
	of := func(namespace, name string) override.Reference {
		return override.Reference{Namespace: namespace, Name: name}
	}
	changed := &engine.Override{Reference: of("web", "same"), Namespaced: &override.Spec{Placement: &override.PlacementReference{Name: "p"}}}
	(&Survey{Members: []*MemberState{m}}).predict(engine.World{Overrides: map[override.Reference]engine.Planned[engine.Override]{
		of("", "removed"): {}, of("web", "same"): {Want: changed}, of("web", "partial"): {Want: &engine.Override{}, Partial: true},
		of("", "new"): {Want: &engine.Override{Reference: of("", "new"), Cluster: &override.ClusterSpec{}}},
	}})
	names := map[string]bool{}
	for _, o := range m.Overrides.Cluster {
		names[o.Name] = true
	}
	if len(m.Overrides.Cluster) != 2 || !names["same"] || !names["new"] {
		t.Errorf("%v", m.Overrides.Cluster)
	}
	placements := map[string]*override.PlacementReference{}
	for _, o := range m.Overrides.Namespaced {
		placements[o.Name] = o.Spec.Placement
	}
	if len(m.Overrides.Namespaced) != 2 || placements["same"] == nil || placements["partial"] != nil {
		t.Errorf("%v", placements)
	}
}
