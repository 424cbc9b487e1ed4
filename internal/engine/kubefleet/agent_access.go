package kubefleet

import (
	"context"
	"fmt"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	api "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Agent returns the identity of the member's agent on the hub, and the namespace and the role that the hub creates for the agent (KubeFleet, pkg/utils:
// RoleNameFormat). It returns nil for a member that another system has created, because that system chooses the identity.
func (*Engine) Agent(spec member.Spec) *engine.Agent {
	if spec.Adopts() {
		return nil
	}
	identity := DefaultIdentity(spec.Name)
	if spec.Identity != nil {
		identity = *spec.Identity
	}
	return &engine.Agent{Identity: identity, MemberNamespace: hub.MemberNamespacePrefix + spec.Name, Role: rolePrefix + spec.Name}
}

const rolePrefix = "fleet-role-"

// AgentAccess requests a token with the given lifetime for the ServiceAccount of the member from the hub. It returns [engine.ErrNotFound] if the hub has no
// such member, and an *[engine.LimitationError] if the identity of the member is not a ServiceAccount.
func (e *Engine) AgentAccess(ctx context.Context, name string, lifetime time.Duration) (*engine.AgentAccess, error) {
	found, _, err := hub.Get[api.MemberCluster](ctx, e.clusters.Hub, hub.MemberCluster, "", name)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, engine.ErrNotFound
	}
	spec := convert.ToMember(*found)
	identity := spec.Identity
	if identity == nil || identity.Kind != member.ServiceAccount {
		return nil, &engine.LimitationError{Limitation: engine.Limitation{Path: placement.At("name"), Message: fmt.Sprintf(
			"The agent of the member %q is not a ServiceAccount on the hub, and the hub issues tokens only for ServiceAccounts.", name)}}
	}
	out := &engine.AgentAccess{Agent: *e.Agent(spec)}
	if out.HubURL, out.HubCA, err = e.clusters.Hub.Endpoint(); err != nil {
		return nil, err
	}
	out.Token, out.Expires, err = e.clusters.Hub.ServiceAccountToken(ctx, identity.Namespace, identity.Name, lifetime)
	return out, clusterset.Unreachable(e.clusters.Hub.Name(), err)
}
