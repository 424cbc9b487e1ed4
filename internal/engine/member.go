package engine

import (
	"context"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
)

// Members registers the clusters of the fleet.
type Members interface {
	// CheckMember tells what of a registration the engine cannot express.
	CheckMember(spec member.Spec) []Limitation
	// ServesMember asks whether what keeps registrations has a place for all of one: a [LimitationError] otherwise. What cannot be asked is for the
	// apply to find out.
	ServesMember(ctx context.Context, spec member.Spec) error
	// ApplyMember registers a member or changes its registration, and returns it as it is recorded. When the cluster behind the connection is
	// another one than before, nothing is written and the error is a [ClusterReplacedError]. A new one that is registered already is an
	// [ExistsError], one that another resource has registered a [ManagedElsewhereError].
	ApplyMember(ctx context.Context, want Member, prior *Member) (Member, error)
	// ReadMember returns the registration and the live status, or [ErrNotFound] when the member is proven not to be registered. An
	// unreachable member that would have to be asked itself is a [MemberUnreachableError], one that another resource has registered a
	// [ManagedElsewhereError].
	ReadMember(ctx context.Context, name string, prior *Member) (Member, error)
	// ListMembers returns every cluster that the engine knows of, sorted by name; one that does not answer has an error and nothing else.
	ListMembers(ctx context.Context) ([]ListedMember, error)
	// DeleteMember ends the membership. What was placed on the cluster stays there. A membership of another resource is a
	// [ManagedElsewhereError], one that is kept on a cluster that does not answer a [MemberUnreachableError].
	DeleteMember(ctx context.Context, prior Member) error
	// Agent returns the identity of a member's agent on the hub. It is nil for an engine without agents, and for a member of another system. It reads
	// no cluster.
	Agent(spec member.Spec) *Agent
	// AgentAccess returns what the agent of a registered member needs to sign in to the hub, with a token that ends after about that time. An
	// engine without agents returns a [LimitationError], a member that is not registered is [ErrNotFound].
	AgentAccess(ctx context.Context, name string, lifetime time.Duration) (*AgentAccess, error)
}

// Agent is who the agent of a member is on the hub.
type Agent struct {
	Identity member.Identity
	// MemberNamespace is the namespace that the hub has for the member, Role the one in it that the hub binds to the agent.
	MemberNamespace, Role string
}

// AgentAccess is what the agent of a member needs to sign in to the hub.
type AgentAccess struct {
	Agent
	// HubURL is the address of the hub's API server, HubCA its certificates in PEM; empty if they are publicly trusted.
	HubURL string
	HubCA  []byte
	// Token is a secret; Expires is when it ends.
	Token   string
	Expires time.Time
}

// Member is a registered cluster.
type Member struct {
	// ID is the identity of the resource that manages the member, a UUID that it has for life; "" if it is not known, as in an import.
	ID string
	// UID is that of the object on a hub as it was read or written last; "" if it is not known. Another object of the name is neither changed nor deleted.
	UID    string
	Spec   member.Spec
	Status member.Status
	// Warning is what the user should know of the registration though it is as configured; "" for nothing.
	Warning string
}

// ListedMember is a cluster of the fleet, or one that may become one.
type ListedMember struct {
	Member
	// Joined tells whether the cluster is registered.
	Joined bool
	// Err is why it could not be looked at.
	Err error
}
