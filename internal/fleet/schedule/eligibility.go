package schedule

import (
	"fmt"
	"time"
)

// Patience with an agent (pkg/scheduler/clustereligibilitychecker of KubeFleet: compile-time defaults). Exactly as long is still in time.
const (
	heartbeatPatience = 5 * time.Minute
	unhealthyPatience = 5 * time.Minute
)

// ineligible says why a cluster cannot take part, or nothing. The order of the checks decides which of several reasons is given.
// KubeFleet: the ClusterEligibility plugin; PickFixed asks the same.
func ineligible(c *Cluster, now time.Time) string {
	if c.Leaving {
		return "cluster has left the fleet"
	}
	if c.Ineligible != "" || c.Agent == nil {
		return c.Ineligible
	}
	const lost = "cluster is not connected to the fleet: "
	agent := c.Agent
	switch {
	case agent.Offline:
		return lost + "member agent not online yet"
	case late(now, agent.LastReceivedHeartbeat, heartbeatPatience):
		return lost + fmt.Sprintf("no recent heartbeat signals (last received %.2f minutes ago)", now.Sub(agent.LastReceivedHeartbeat).Minutes())
	case !agent.Joined.isTrue():
		return lost + "member agent not joined yet"
	case agent.Healthy == nil:
		return lost + "health condition from member agent is not available"
	case !agent.Healthy.isTrue() && late(now, agent.Healthy.LastTransitionTime, unhealthyPatience):
		return lost + fmt.Sprintf("unhealthy for a prolonged period of time (last transitioned %.2f minutes ago)",
			now.Sub(agent.Healthy.LastTransitionTime).Minutes())
	}
	return ""
}

// late tells whether more time has passed since then. Without a time to compare with nothing is late.
func late(now, then time.Time, patience time.Duration) bool {
	return !now.IsZero() && now.Sub(then) > patience
}
