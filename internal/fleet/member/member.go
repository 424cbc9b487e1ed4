// Package member holds the noun for a cluster that takes part in a fleet, with the fields of KubeFleet's MemberCluster (API version
// cluster.kubernetes-fleet.io/v1beta1).
package member

import "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"

// Spec is a member as the user wrote it.
type Spec struct {
	Name                   string            `json:"name"`
	Labels                 map[string]string `json:"labels,omitzero"`
	Annotations            map[string]string `json:"annotations,omitzero"`
	Taints                 []Taint           `json:"taints,omitzero"`
	HeartbeatPeriodSeconds *int32            `json:"heartbeatPeriodSeconds,omitempty"`
	Identity               *Identity         `json:"identity,omitempty"`
	DeleteOptions          *DeleteOptions    `json:"deleteOptions,omitempty"`
	// AdoptExisting says that another system has made the member; see [Spec.Adopts]. It is not in the CRD.
	AdoptExisting *bool `json:"adoptExisting,omitempty"`
}

// Adopts tells whether the member is another system's, of which only the labels, annotations and taints that are configured are managed here.
// It is never registered or removed.
func (s Spec) Adopts() bool { return s.AdoptExisting != nil && *s.AdoptExisting }

// Taint keeps placements off a cluster that do not tolerate it.
type Taint struct {
	Key    string      `json:"key"`
	Value  string      `json:"value,omitempty"`
	Effect TaintEffect `json:"effect"`
}

// Identity is the subject the member's agent acts as on the hub.
type Identity struct {
	Kind      IdentityKind `json:"kind"`
	Name      string       `json:"name"`
	APIGroup  string       `json:"apiGroup,omitempty"`
	Namespace string       `json:"namespace,omitempty"`
}

// DeleteOptions says how careful the removal of a member is.
type DeleteOptions struct {
	ValidationMode ValidationMode `json:"validationMode,omitempty"`
	// OnUnreachable is not in the CRD.
	OnUnreachable OnUnreachable `json:"onUnreachable,omitempty"`
}

// Status is what is known of a member that has joined.
type Status struct {
	// ClusterUID is the UID of the member's kube-system namespace.
	ClusterUID string
	// Conditions are those of the member as a whole.
	Conditions []Condition
	// AgentStatus is that of the agents on the member; empty where there are none.
	AgentStatus []AgentStatus
	// Properties are named as KubeFleet names them, such as kubernetes-fleet.io/node-count and k8s.io/k8s-version.
	Properties map[string]string
	// Usage has the sums over the nodes of the cluster.
	Usage ResourceUsage
}

// Condition is a Kubernetes condition without its time.
type Condition struct {
	Type string
	// Status is True, False or Unknown.
	Status             string
	Reason, Message    string
	ObservedGeneration int64
}

// Summary is the condition in a few words: "True", or status and reason.
func (c Condition) Summary() string {
	if c.Status == "True" || c.Reason == "" {
		return printable.Line(c.Status)
	}
	return printable.Line(c.Status + ": " + c.Reason)
}

// The condition types that every engine tells: whether the member takes part, and whether it works.
const (
	Joined  = "Joined"
	Healthy = "Healthy"
)

// AgentStatus is what an agent on the member has reported.
type AgentStatus struct {
	// Type is the agent's, MemberAgent for instance.
	Type       string
	Conditions []Condition
	// LastReceivedHeartbeat is RFC 3339, in UTC; empty before the first.
	LastReceivedHeartbeat string
}

// ResourceUsage holds quantities by resource name (cpu, memory) as Kubernetes writes them.
type ResourceUsage struct {
	Capacity, Allocatable, Available map[string]string
}

// Names of the properties that the scheduler knows (KubeFleet, pkg/propertyprovider).
const (
	NodeCountProperty         = "kubernetes-fleet.io/node-count"
	KubernetesVersionProperty = "k8s.io/k8s-version"
)
