// Package member has the types of a member: a cluster that takes part in a fleet, with the fields of KubeFleet's MemberCluster (API version
// cluster.kubernetes-fleet.io/v1beta1).
package member

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
)

// Spec is a member as the user wrote it.
type Spec struct {
	Name                   string            `json:"name"`
	Labels                 map[string]string `json:"labels,omitzero"`
	Annotations            map[string]string `json:"annotations,omitzero"`
	Taints                 []Taint           `json:"taints,omitzero"`
	HeartbeatPeriodSeconds *int32            `json:"heartbeatPeriodSeconds,omitempty"`
	Identity               *Identity         `json:"identity,omitempty"`
	DeleteOptions          *DeleteOptions    `json:"deleteOptions,omitempty"`
	// AdoptExisting reports that another system has created the member; see [Spec.Adopts]. It is not in the CRD.
	AdoptExisting *bool `json:"adoptExisting,omitempty"`
}

// Adopts reports whether another system manages the member. The provider then manages only the configured labels, annotations and taints, and
// never registers or removes the member.
func (s Spec) Adopts() bool { return s.AdoptExisting != nil && *s.AdoptExisting }

// Taint excludes a cluster from placements that do not tolerate it.
type Taint struct {
	Key    string                `json:"key"`
	Value  string                `json:"value,omitempty"`
	Effect placement.TaintEffect `json:"effect"`
}

// Identity is the subject of the member's agent on the hub.
type Identity struct {
	Kind      IdentityKind `json:"kind"`
	Name      string       `json:"name"`
	APIGroup  string       `json:"apiGroup,omitempty"`
	Namespace string       `json:"namespace,omitempty"`
}

// DeleteOptions control the removal of a member.
type DeleteOptions struct {
	ValidationMode ValidationMode `json:"validationMode,omitempty"`
	// OnUnreachable is not in the CRD.
	OnUnreachable OnUnreachable `json:"onUnreachable,omitempty"`
}

// Status is the observed state of a member that has joined.
type Status struct {
	// ClusterUID is the UID of the member's kube-system namespace.
	ClusterUID string
	Conditions []Condition
	// AgentStatus is the status of the agents on the member; empty if there are none.
	AgentStatus []AgentStatus
	// Properties have KubeFleet's names, such as kubernetes-fleet.io/node-count and k8s.io/k8s-version.
	Properties map[string]string
	// Usage is the total over the nodes of the cluster.
	Usage ResourceUsage
}

// Condition is a Kubernetes condition without its time.
type Condition struct {
	Type               string
	Status             string
	Reason, Message    string
	ObservedGeneration int64
}

// Summary returns the status, followed by the reason if the status is not True and there is a reason.
func (c Condition) Summary() string {
	if c.Status == "True" || c.Reason == "" {
		return printable.Line(c.Status)
	}
	return printable.Line(c.Status + ": " + c.Reason)
}

// The condition types that every engine reports: whether the member has joined, and whether it is healthy.
const (
	Joined  = "Joined"
	Healthy = "Healthy"
)

// MemberAgent is the type of the agent that places objects on a member. The scheduler of KubeFleet uses the reports of this agent.
const MemberAgent = "MemberAgent"

// AgentStatus is what an agent on the member has reported.
type AgentStatus struct {
	// Type is for example [MemberAgent].
	Type       string
	Conditions []Condition
	// LastReceivedHeartbeat is RFC 3339, in UTC; empty before the first heartbeat.
	LastReceivedHeartbeat string
}

// ResourceUsage holds quantities by resource name (cpu, memory) in Kubernetes notation.
type ResourceUsage struct {
	Capacity, Allocatable, Available map[string]string
}

// Names of the properties that the scheduler uses (KubeFleet, pkg/propertyprovider).
const (
	NodeCountProperty         = kubefleetapi.Prefix + "node-count"
	KubernetesVersionProperty = "k8s.io/k8s-version"
)
