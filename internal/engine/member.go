package engine

import (
	"context"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
)

// Members registers the clusters of the fleet.
type Members interface {
	// CheckMember returns the settings of a registration that the engine does not support.
	CheckMember(spec member.Spec) []Limitation
	// ServesMember returns a [LimitationError] if the system that stores registrations does not support all settings of one. If it cannot check this, it
	// returns nil, and the apply returns the error.
	ServesMember(ctx context.Context, spec member.Spec) error
	// ApplyMember registers a member or changes its registration, and returns the recorded registration. If the connection leads to another
	// cluster than before, it writes nothing and returns a [ClusterReplacedError]. It returns an [ExistsError] if prior is nil and the
	// member is registered already, and a [ManagedElsewhereError] if another resource has registered the member.
	ApplyMember(ctx context.Context, want Member, prior *Member) (Member, error)
	// ReadMember returns the registration and the live status, or [ErrNotFound] if the member is proven not to be registered. If the member
	// itself has to be read and is unreachable, it returns a [MemberUnreachableError]; if another resource has registered it, a
	// [ManagedElsewhereError].
	ReadMember(ctx context.Context, name string, prior *Member) (Member, error)
	// ListMembers returns the members, sorted by name. An engine without a hub also returns the other clusters to which the provider has a connection. An
	// unreachable cluster has only a name and an error.
	ListMembers(ctx context.Context) ([]ListedMember, error)
	// DeleteMember ends the membership. Placed objects remain on the cluster. It returns a [ManagedElsewhereError] for a membership of another
	// resource, and a [MemberUnreachableError] if the membership is stored on an unreachable cluster.
	DeleteMember(ctx context.Context, prior Member) error
	// Agent returns the identity of a member's agent on the hub. It returns nil for an engine without agents, and for a member of another
	// system. It reads no cluster.
	Agent(spec member.Spec) *Agent
	// AgentAccess returns what the agent of a registered member needs to authenticate to the hub, with a token of about this lifetime. It
	// returns a [LimitationError] for an engine without agents, and [ErrNotFound] for a member that is not registered.
	AgentAccess(ctx context.Context, name string, lifetime time.Duration) (*AgentAccess, error)
}

// Agent is the identity of a member's agent on the hub.
type Agent struct {
	Identity member.Identity
	// MemberNamespace is the hub's namespace for the member. Role is the Role in this namespace that the hub binds to the agent.
	MemberNamespace, Role string
}

// AgentAccess is what the agent of a member needs to authenticate to the hub.
type AgentAccess struct {
	Agent
	// HubURL is the address of the hub's API server, HubCA its CA certificates in PEM; empty if they are publicly trusted.
	HubURL string
	HubCA  []byte
	// Token is secret. It expires at Expires.
	Token   string
	Expires time.Time
}

// Member is a registered cluster.
type Member struct {
	// ID is the identity of the resource that manages the member, a UUID that never changes; "" if unknown, as in an import.
	ID string
	// UID is the UID of the object on a hub at the last read or write; "" if unknown. An object with another UID is neither changed nor deleted.
	UID    string
	Spec   member.Spec
	Status member.Status
	// Warning is a warning about a registration that matches its configuration; "" if there is none.
	Warning string
}

// ListedMember is a cluster that an engine lists. Joined means that it is a member. Err is the reason why it could not be read.
type ListedMember struct {
	Member
	Joined bool
	Err    error
}
