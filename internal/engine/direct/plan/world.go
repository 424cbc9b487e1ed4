package plan

import (
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
)

// predict applies the changes that this run makes to members and overrides, and the assumptions of a preview. An unreachable member remains unchanged.
func (s *Survey) predict(world engine.World) {
	s.assume(world)
	for _, m := range s.Members {
		if m.Err != nil {
			continue
		}
		if planned, is := world.Members[m.Name]; is {
			m.predictMember(planned)
		}
		m.FormerOverrides, m.Overrides = m.Overrides, world.Overridden(m.Overrides)
	}
	s.rejectDuplicateClusters()
}

// rejectDuplicateClusters sets an error on members that would register the same cluster a second time. A cluster's record names one member, so at least
// one of two duplicates is joining.
func (s *Survey) rejectDuplicateClusters() {
	names := map[string]string{} // by the UID of the cluster
	for _, m := range s.Members {
		if m.Err == nil && m.Joined() && !m.Joining {
			names[m.UID] = m.Name
		}
	}
	for _, m := range s.Members {
		if m.Err != nil || !m.Joining {
			continue
		}
		if other, taken := names[m.UID]; taken {
			m.Err = fmt.Errorf("the members %q and %q are one and the same cluster: its kube-system namespace has the UID %s. Correct the connection of "+
				"one of them in the provider argument \"members\", or remove its fleet_member_cluster", other, m.Name, m.UID)
			continue
		}
		names[m.UID] = m.Name
	}
}

// predictMember applies a change of the cluster's registration. If a part of the change is known only after apply, an existing registration remains unchanged.
func (m *MemberState) predictMember(planned engine.Planned[member.Spec]) {
	joined := m.Joined()
	m.Joining, m.Leaving = !joined && planned.Want != nil, joined && planned.Want == nil
	switch {
	case planned.Want == nil:
		m.Record = nil
	case !joined || !planned.Partial:
		m.Record = &record.Member{Spec: *planned.Want, ClusterUID: m.UID}
	}
}
