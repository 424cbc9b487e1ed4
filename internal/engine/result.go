package engine

import (
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Result is the result of an operation.
type Result struct {
	Status placement.Status
	// Objects are the objects that were changed, and those that are not as desired, by cluster.
	Objects []ObjectResult
	// Warnings are problems that did not stop the operation, such as a member that was skipped.
	Warnings []string
	// Withheld describes the values and messages that are omitted from Status because they may be sensitive. It is nil if nothing is omitted.
	Withheld *Withheld
	// TimedOut means that the wait ended before every object was available.
	TimedOut bool
	// Stalled means that the placement is not complete on the hub, and that another apply cannot complete it; see [HubPreview.Stalled].
	Stalled bool
	// Agents are the members' agents that the operation was waiting for and that the hub reports, by cluster.
	Agents []AgentReport
	// Removed names the clusters on which a removal has completely removed the placement and its record. It is empty for an engine that stores one record on a
	// hub.
	Removed []string
	// HeartbeatsOverdue reports that the heartbeats of all members are overdue. The hub agent records heartbeats, so the hub agent is possibly not running.
	HeartbeatsOverdue bool
}

// AgentReport is the age of the last heartbeat of a member's agent, and the period between heartbeats.
type AgentReport struct {
	Cluster     string
	Age, Period time.Duration
}

// ObjectResult is the result for one object on one cluster.
type ObjectResult struct {
	Cluster string
	manifest.Identifier
	// Action is the decision about the object, Obstacle why it was not written.
	Action   takeover.Action
	Obstacle takeover.Obstacle
	// Owner is the owner of the object if it is not this placement.
	Owner takeover.Owner
	// Failure is the condition of an object that is not as desired, or nil if the action was performed. Waiting is the condition of a written object that is not
	// available yet, or nil.
	Failure, Waiting *placement.Condition
	// Missing are the absent objects that the Pods of a Waiting workload need, as the plan has shown. The apply waits only a few seconds for the workload.
	Missing []manifest.Identifier
}
