package enginetest

import (
	"context"
	"slices"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
)

// registry is an engine that implements only members.
type registry struct {
	engine.Engine
	members []string
}

func (r *registry) ApplyMember(_ context.Context, m engine.Member, _ *engine.Member) (engine.Member, error) {
	r.members = append(r.members, m.Spec.Name)
	return m, nil
}

func (r *registry) ReadMember(context.Context, string, *engine.Member) (engine.Member, error) {
	return engine.Member{Status: member.Status{Conditions: []member.Condition{{Type: member.Joined, Status: "True"}}}}, nil
}

func (r *registry) DeleteMember(_ context.Context, m engine.Member) error {
	r.members = slices.DeleteFunc(r.members, func(name string) bool { return name == m.Spec.Name })
	return nil
}

// On clusters that outlive the tests, members leave even if all of the engine's Namespaces existed before, created by another engine's tests.
func TestLeave(t *testing.T) {
	t.Parallel()
	members := &registry{}
	f := NewFleet(&clusters.Env{Members: []string{"member-1", "member-2"}}, Subject{New: func(Clients) engine.Engine { return members }})
	if err := f.Join(); err != nil {
		t.Fatal(err)
	}
	if len(members.members) != 2 {
		t.Errorf("joined: %v", members.members)
	}
	if err := f.Leave(); err != nil {
		t.Fatal(err)
	}
	if len(members.members) > 0 {
		t.Errorf("members after the tests: %v", members.members)
	}
}
