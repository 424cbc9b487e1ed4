package schedule

import (
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
)

// Cluster is what the scheduler knows of a cluster: the parts of KubeFleet's MemberCluster that it looks at.
type Cluster struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels,omitempty"`
	Taints []member.Taint    `json:"taints,omitempty"`
	// Properties are status.properties, values only.
	Properties map[string]string `json:"properties,omitempty"`
	// Usage is status.resourceUsage.
	Usage ResourceUsage `json:"resourceUsage,omitzero"`
	// Leaving tells that the MemberCluster has a deletionTimestamp. It still counts for topology spread.
	Leaving bool `json:"leaving,omitempty"`
	// Namespaces are status.namespaces, nil if there are none; NamespacesCollected tells that there is a condition NamespaceCollectionSucceeded,
	// whatever its status: the fleet looks at them.
	Namespaces          []string `json:"namespaces,omitempty"`
	NamespacesCollected bool     `json:"namespacesCollected,omitempty"`
	// Agent is what the member's agent said last. Nil leaves it out of the decision: the cluster is taken for a healthy one.
	Agent *Agent `json:"agent,omitempty"`
	// Ineligible says why the cluster cannot take part now, for callers that know of other reasons than KubeFleet; empty for one that can.
	Ineligible string `json:"ineligible,omitempty"`
}

// ResourceUsage holds quantities by resource name (cpu, memory) as Kubernetes writes them.
type ResourceUsage struct {
	Capacity    map[string]string `json:"capacity,omitempty"`
	Allocatable map[string]string `json:"allocatable,omitempty"`
	Available   map[string]string `json:"available,omitempty"`
}

// Agent is the entry MemberAgent of status.agentStatus.
type Agent struct {
	// Offline tells that there is no such entry: the agent has never answered.
	Offline               bool      `json:"offline,omitempty"`
	LastReceivedHeartbeat time.Time `json:"lastReceivedHeartbeat,omitzero"`
	// Joined and Healthy are the conditions of these types; nil if they are missing.
	Joined  *Condition `json:"joined,omitempty"`
	Healthy *Condition `json:"healthy,omitempty"`
}

// Condition is what counts of a Kubernetes condition.
type Condition struct {
	// Status is True, False or Unknown.
	Status             string    `json:"status"`
	LastTransitionTime time.Time `json:"lastTransitionTime,omitzero"`
}

func (c *Condition) isTrue() bool { return c != nil && c.Status == "True" }
