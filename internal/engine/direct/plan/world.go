package plan

import (
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
)

// foresee takes what the same run makes of the fleet for done. A member that does not answer stays as it is: nothing is known of it.
func (s *Survey) foresee(world engine.World) {
	for _, m := range s.Members {
		if m.Err != nil {
			continue
		}
		if planned, is := world.Members[m.Name]; is {
			m.foreseeMember(planned)
		}
		m.FormerOverrides, m.Overrides = m.Overrides, world.Overridden(m.Overrides)
	}
	s.refuseTwins()
}

// refuseTwins keeps a cluster from becoming two members. A record on it can name but one, so that only those that join can be two.
func (s *Survey) refuseTwins() {
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

// foreseeMember registers the cluster, changes its registration, or ends it. Labels and taints that are not known yet stay as they are.
func (m *MemberState) foreseeMember(planned engine.Planned[member.Spec]) {
	joined := m.Joined()
	m.Joining, m.Leaving = !joined && planned.Want != nil, joined && planned.Want == nil
	switch {
	case planned.Want == nil:
		m.Record = nil
	case !joined || !planned.Partial:
		m.Record = &record.Member{Spec: *planned.Want, ClusterUID: m.UID}
	}
}
