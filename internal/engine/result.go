package engine

import (
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Result is what an operation left behind.
type Result struct {
	Status placement.Status
	// Objects are those that something was done to, and those that are not as they are to be, by cluster.
	Objects []ObjectResult
	// Warnings are things the user should know though the operation did what it could, such as a member that was left behind.
	Warnings []string
	// Withheld are the values and messages that the Status lacks; nil for none.
	Withheld *Withheld
	// TimedOut says that the wait ended before every object was available.
	TimedOut bool
	// Stalled says that the placement is not complete on the hub, and that another apply cannot complete it; see [Preview.Stalled].
	Stalled bool
	// Agents are the members' agents that it was waiting for, by cluster, as far as a hub has heard of them.
	Agents []AgentReport
}

// AgentReport tells how long ago a hub has heard of a member's agent, which is to report once in every period.
type AgentReport struct {
	Cluster     string
	Age, Period time.Duration
}

// ObjectResult is what came of one object on one cluster.
type ObjectResult struct {
	Cluster string
	manifest.Identifier
	// Action is what was decided about the object, Obstacle what kept it from being written.
	Action   takeover.Action
	Obstacle takeover.Obstacle
	// Owner is who looks after the object, when that is not this placement.
	Owner takeover.Owner
	// Failure is the condition of an object that is not as it is to be, Waiting that of one that is written and not available yet. Without a
	// Failure, the action was carried out.
	Failure, Waiting *placement.Condition
	// Missing are the objects that the Pods of a Waiting workload need and that the cluster does not have, as the plan has shown. The apply does not wait for
	// the workload.
	Missing []manifest.Identifier
}
