package schedule

import (
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
)

// Cluster holds the parts of KubeFleet's MemberCluster that the scheduler reads.
type Cluster struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels,omitempty"`
	Taints []member.Taint    `json:"taints,omitempty"`
	// Properties are the values in status.properties.
	Properties map[string]string `json:"properties,omitempty"`
	// Usage is status.resourceUsage.
	Usage ResourceUsage `json:"resourceUsage,omitzero"`
	// Leaving reports that the MemberCluster has a deletionTimestamp. It still counts for topology spread.
	Leaving bool `json:"leaving,omitempty"`
	// Namespaces are status.namespaces, nil if there are none. NamespacesCollected reports that a condition NamespaceCollectionSucceeded
	// exists, with any status: the fleet collects namespaces.
	Namespaces          []string `json:"namespaces,omitempty"`
	NamespacesCollected bool     `json:"namespacesCollected,omitempty"`
	// Agent is the last status of the member agent. If it is nil, the cluster counts as healthy.
	Agent *Agent `json:"agent,omitempty"`
	// Ineligible is a reason other than KubeFleet's for which the cluster cannot be picked now; empty if there is none.
	Ineligible string `json:"ineligible,omitempty"`
}

// ResourceUsage holds quantities by resource name (cpu, memory) in Kubernetes notation.
type ResourceUsage struct {
	Capacity    map[string]string `json:"capacity,omitempty"`
	Allocatable map[string]string `json:"allocatable,omitempty"`
	Available   map[string]string `json:"available,omitempty"`
}

// Agent is the entry MemberAgent of status.agentStatus.
type Agent struct {
	// Offline reports that the entry does not exist: the agent has never reported.
	Offline               bool      `json:"offline,omitempty"`
	LastReceivedHeartbeat time.Time `json:"lastReceivedHeartbeat,omitzero"`
	// Joined and Healthy are the conditions of these types; nil if they are missing.
	Joined  *Condition `json:"joined,omitempty"`
	Healthy *Condition `json:"healthy,omitempty"`
}

// Condition holds the relevant fields of a Kubernetes condition.
type Condition struct {
	Status             string    `json:"status"`
	LastTransitionTime time.Time `json:"lastTransitionTime,omitzero"`
}

func (c *Condition) isTrue() bool { return c != nil && c.Status == "True" }
