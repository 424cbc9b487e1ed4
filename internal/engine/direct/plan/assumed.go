package plan

import (
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
)

// assume replaces the state of members that a preview assumes to be unreachable, and adds members without a connection that it assumes to be new. Nothing is
// known about the cluster of such a new member. predictMember applies the assumption that a member is gone.
func (s *Survey) assume(world engine.World) {
	for _, m := range s.Members {
		if m.assumed = world.Assumed[m.Name]; m.assumed == engine.AssumeUnreachable {
			*m = *assumedMember(m.Name, m.assumed)
		}
	}
	for name, assumption := range world.Assumed {
		known := slices.ContainsFunc(s.Members, func(m *MemberState) bool { return m.Name == name && !m.isUnconnected() })
		if assumption != engine.AssumeNew || known {
			continue
		}
		m := assumedMember(name, assumption)
		m.Joining, m.Record = true, &record.Member{Spec: *world.Members[name].Want}
		s.Members = slices.DeleteFunc(s.Members, func(other *MemberState) bool { return other.Name == name })
		s.Members = append(s.Members, m)
	}
	slices.SortFunc(s.Members, func(a, b *MemberState) int { return strings.Compare(a.Name, b.Name) })
}

func assumedMember(name string, assumption engine.Assumption) *MemberState {
	return &MemberState{
		Name: name, OtherPlacements: &OtherPlacements{}, Err: &engine.AssumedError{Member: name, Assumption: assumption}, assumed: assumption,
	}
}

// isAssumedNew reports whether the member is assumed to be new and has no cluster to check.
func (m *MemberState) isAssumedNew() bool { return engine.IsAssumed(m.Err, engine.AssumeNew) }
