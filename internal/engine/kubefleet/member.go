package kubefleet

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	api "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// SystemNamespace is the namespace on a hub for objects of KubeFleet itself.
const SystemNamespace = "fleet-system"

var serviceAccountKind = schema.GroupVersionKind{Version: "v1", Kind: "ServiceAccount"}

// DefaultIdentity returns the identity on the hub for the agent of a member without a configured identity: a ServiceAccount for each member.
func DefaultIdentity(name string) member.Identity {
	return member.Identity{Kind: member.ServiceAccount, Name: name + "-hub-cluster-access", Namespace: SystemNamespace}
}

// ApplyMember registers a member, or changes its registration. For a member without an identity, it creates a ServiceAccount. With adopt_existing, it writes
// only the labels, annotations and taints of the member.
func (e *Engine) ApplyMember(ctx context.Context, want engine.Member, prior *engine.Member) (engine.Member, error) {
	_, live, err := hub.Get[api.MemberCluster](ctx, e.clusters.Hub, hub.MemberCluster, "", want.Spec.Name)
	if err != nil {
		return engine.Member{}, err
	}
	if want.Spec.Adopts() {
		return e.adopt(ctx, want, prior, live)
	}
	if live != nil && prior == nil {
		return engine.Member{}, &engine.ExistsError{
			What: "A MemberCluster \"" + want.Spec.Name + "\"", Where: "the hub", Import: want.Spec.Name, Adoptable: true,
		}
	}
	if prior != nil {
		if err := engine.CheckReplaced(live, prior.UID, e.clusters.Hub.Name()); err != nil {
			return engine.Member{}, err
		}
	}
	spec := want.Spec
	if spec.Identity == nil {
		spec.Identity = new(DefaultIdentity(spec.Name))
		if err := e.ensureIdentity(ctx, *spec.Identity); err != nil {
			return engine.Member{}, err
		}
	}
	gvk, err := hub.Served(ctx, e.clusters.Hub, hub.MemberCluster)
	if err != nil {
		return engine.Member{}, err
	}
	object, err := codec.Encode(convert.FromMember(spec), gvk)
	if err != nil {
		return engine.Member{}, err
	}
	stored, err := hub.Put(ctx, e.clusters.Hub, object, live)
	if err != nil {
		return engine.Member{}, err
	}
	return writtenMember(want, stored)
}

// ServesMember returns an *[engine.LimitationError] if spec has a field that the hub's version of the API does not have. It returns nil if the hub is
// unreachable or does not serve members.
func (e *Engine) ServesMember(ctx context.Context, spec member.Spec) error {
	gvk, err := hub.Served(kube.FailFast(ctx), e.clusters.Hub, hub.MemberCluster)
	if err != nil {
		return nil //nolint:nilerr // the apply reports the error
	}
	object, err := codec.Encode(convert.FromMember(spec), gvk)
	if err != nil {
		return err
	}
	return hub.Check(object)
}

func writtenMember(want engine.Member, stored *unstructured.Unstructured) (engine.Member, error) {
	out, err := codec.Decode[api.MemberCluster](stored)
	if err != nil {
		return engine.Member{}, err
	}
	return engine.Member{ID: want.ID, UID: string(stored.GetUID()), Spec: want.Spec, Status: statusOf(*out)}, nil
}

// statusOf returns the status of a member. It adds the condition Healthy of the member agent to the conditions of the hub.
func statusOf(m api.MemberCluster) member.Status {
	out := convert.MemberStatus(m.Status)
	for _, agent := range out.AgentStatus {
		for _, c := range agent.Conditions {
			if agent.Type == member.MemberAgent && c.Type == member.Healthy {
				out.Conditions = append(out.Conditions, c)
			}
		}
	}
	return out
}

func (e *Engine) ensureIdentity(ctx context.Context, identity member.Identity) error {
	live, err := controlplane.Read(ctx, e.clusters.Hub, serviceAccountKind, identity.Namespace, identity.Name)
	if err != nil || live != nil {
		return err
	}
	account := &unstructured.Unstructured{Object: map[string]any{}}
	account.SetGroupVersionKind(serviceAccountKind)
	account.SetNamespace(identity.Namespace)
	account.SetName(identity.Name)
	controlplane.MarkCreated(account)
	_, err = controlplane.Create(ctx, e.clusters.Hub, account, controlplane.IsCreated)
	if kube.IsAlreadyExists(err) {
		return nil
	}
	return clusterset.Unreachable(e.clusters.Hub.Name(), err)
}

// ReadMember reads the registration. It returns the configured value wherever the stored value means the same. prior is nil for an import; see
// [convert.ImportedMember].
func (e *Engine) ReadMember(ctx context.Context, name string, prior *engine.Member) (engine.Member, error) {
	found, live, err := hub.Get[api.MemberCluster](kube.FailFast(ctx), e.clusters.Hub, hub.MemberCluster, "", name)
	if err != nil {
		return engine.Member{}, err
	}
	if found == nil {
		return engine.Member{}, engine.ErrNotFound
	}
	if prior != nil && !prior.Spec.Adopts() {
		if err := engine.CheckReplaced(live, prior.UID, e.clusters.Hub.Name()); err != nil {
			return engine.Member{}, err
		}
	}
	var spec member.Spec
	if prior == nil {
		spec, err = convert.ImportedMember(live, e.clusters.Hub.FieldManager(""))
		spec = withoutDefaultIdentity(spec)
	} else {
		stored := convert.ToMember(*found)
		if prior.Spec.Identity == nil {
			stored = withoutDefaultIdentity(stored)
		}
		spec, err = convert.MemberAsWritten(stored, &prior.Spec)
	}
	return engine.Member{UID: string(live.GetUID()), Spec: spec, Status: statusOf(*found)}, err
}

func withoutDefaultIdentity(spec member.Spec) member.Spec {
	if spec.Identity != nil && *spec.Identity == DefaultIdentity(spec.Name) {
		spec.Identity = nil
	}
	return spec
}

// ListMembers lists the registered members.
func (e *Engine) ListMembers(ctx context.Context) ([]engine.ListedMember, error) {
	found, err := hub.List[api.MemberCluster](kube.FailFast(ctx), e.clusters.Hub, hub.MemberCluster, "", "")
	if err != nil {
		return nil, err
	}
	var out []engine.ListedMember
	for _, m := range found {
		spec, err := convert.MemberAsWritten(convert.ToMember(m), nil)
		out = append(out, engine.ListedMember{Member: engine.Member{Spec: spec, Status: statusOf(m)}, Joined: true, Err: err})
	}
	return out, nil
}

const leaveAdvice = "The hub deletes a member when its member agent has left, or after the force-delete-wait-time of the hub agent (15 minutes by default). " +
	"Check that the agents are running, or increase timeouts.delete, and destroy again. The next destroy continues to wait."

// DeleteMember ends the membership. The hub waits for the member's agent, which keeps the placed objects on the cluster. A member with adopt_existing, or one
// that Azure has created, remains on the hub without the configured labels, annotations and taints. If the member is deleted, DeleteMember also deletes the
// ServiceAccount that ApplyMember created for it.
func (e *Engine) DeleteMember(ctx context.Context, prior engine.Member) error {
	name := prior.Spec.Name
	_, live, err := hub.Get[api.MemberCluster](ctx, e.clusters.Hub, hub.MemberCluster, "", name)
	if err != nil {
		return err
	}
	if prior.Spec.Adopts() {
		return e.release(ctx, prior.Spec, live)
	}
	if err := engine.CheckReplaced(live, prior.UID, e.clusters.Hub.Name()); err != nil {
		return err
	}
	if live != nil {
		if convert.MadeByAzure(live) {
			return e.release(ctx, prior.Spec, live)
		}
		if err := e.removeLive(ctx, live, leaveAdvice); err != nil {
			return err
		}
	}
	if prior.Spec.Identity != nil {
		return nil
	}
	identity := DefaultIdentity(name)
	return controlplane.DeleteCreated(ctx, e.clusters.Hub, serviceAccountKind, identity.Namespace, identity.Name)
}
