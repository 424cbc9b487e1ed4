package plan

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
)

// TestTwins checks that one cluster cannot become two members, whether it is already a member or joins under both names in one run.
func TestTwins(t *testing.T) {
	t.Parallel()
	joins := engine.Planned[member.Spec]{Want: new(registration("b", "x"))}
	for name, c := range map[string]struct {
		a, b      *MemberState
		world     map[string]engine.Planned[member.Spec]
		isRefused bool
	}{
		"is a member under another name": {
			a: &MemberState{Name: "a", UID: "one", Record: &record.Member{Spec: registration("a", "x"), ClusterUID: "one"}}, b: &MemberState{Name: "b", UID: "one"},
			world: map[string]engine.Planned[member.Spec]{"b": joins}, isRefused: true,
		},
		"joins twice": {
			a: &MemberState{Name: "a", UID: "one"}, b: &MemberState{Name: "b", UID: "one"},
			world: map[string]engine.Planned[member.Spec]{"a": {Want: new(registration("a", "x"))}, "b": joins}, isRefused: true,
		},
		"joins under one of two names": {
			a: &MemberState{Name: "a", UID: "one"}, b: &MemberState{Name: "b", UID: "one"}, world: map[string]engine.Planned[member.Spec]{"b": joins},
		},
		"changes its name": {
			a: &MemberState{Name: "a", UID: "one", Record: &record.Member{Spec: registration("a", "x"), ClusterUID: "one"}}, b: &MemberState{Name: "b", UID: "one"},
			world: map[string]engine.Planned[member.Spec]{"a": {}, "b": joins},
		},
		"are two clusters": {
			a: &MemberState{Name: "a", UID: "one"}, b: &MemberState{Name: "b", UID: "two"},
			world: map[string]engine.Planned[member.Spec]{"a": {Want: new(registration("a", "x"))}, "b": joins},
		},
	} {
		(&Survey{Members: []*MemberState{c.a, c.b}}).predict(engine.World{Members: c.world})
		switch {
		case c.a.Err != nil:
			t.Errorf("%s: the first member is rejected: %v", name, c.a.Err)
		case (c.b.Err != nil) != c.isRefused:
			t.Errorf("%s: %v", name, c.b.Err)
		case c.isRefused && !strings.Contains(c.b.Err.Error(), `"a" and "b" are one and the same cluster`):
			t.Errorf("%s: %v", name, c.b.Err)
		}
	}
}
