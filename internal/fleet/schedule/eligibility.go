package schedule

import (
	"fmt"
	"time"
)

// Timeouts of an agent (pkg/scheduler/clustereligibilitychecker of KubeFleet: compile-time defaults). A heartbeat that is exactly as old as the
// timeout is still in time.
const (
	HeartbeatTimeout = 5 * time.Minute
	unhealthyTimeout = 5 * time.Minute
)

// ineligibleReason returns why a cluster cannot be picked, or "". If there are several reasons, the order of the checks decides. The checks are those of
// KubeFleet's ClusterEligibility plugin. KubeFleet runs the same checks for PickFixed.
func ineligibleReason(c *Cluster, now time.Time) string {
	if c.Leaving {
		return "cluster has left the fleet"
	}
	if c.Ineligible != "" || c.Agent == nil {
		return c.Ineligible
	}
	const notConnected = "cluster is not connected to the fleet: "
	agent := c.Agent
	switch {
	case agent.Offline:
		return notConnected + "member agent not online yet"
	case isLate(now, agent.LastReceivedHeartbeat, HeartbeatTimeout):
		return notConnected + fmt.Sprintf("no recent heartbeat signals (last received %.2f minutes ago)", now.Sub(agent.LastReceivedHeartbeat).Minutes())
	case !agent.Joined.isTrue():
		return notConnected + "member agent not joined yet"
	case agent.Healthy == nil:
		return notConnected + "health condition from member agent is not available"
	case !agent.Healthy.isTrue() && isLate(now, agent.Healthy.LastTransitionTime, unhealthyTimeout):
		return notConnected + fmt.Sprintf("unhealthy for a prolonged period of time (last transitioned %.2f minutes ago)",
			now.Sub(agent.Healthy.LastTransitionTime).Minutes())
	}
	return ""
}

// isLate reports whether more time than timeout has passed from then to now. It returns false if now is zero.
func isLate(now, then time.Time, timeout time.Duration) bool {
	return !now.IsZero() && now.Sub(then) > timeout
}
