package kubeadmiral

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// ApplyMember registers a member, or changes its registration, and waits until the member has joined. The host gets the address and the credentials of the
// provider's own connection to the member. The host uses the credentials once, to create a ServiceAccount on the member. After the member has joined, the
// provider no longer changes the address and the credentials. If another system registers the member, ApplyMember writes only labels, annotations and
// taints: see adoptMember.
func (e *Engine) ApplyMember(ctx context.Context, want engine.Member, prior *engine.Member) (engine.Member, error) {
	name := want.Spec.Name
	known, live, err := host.Get[v1alpha1.FederatedCluster](ctx, e.clusters.Hub, v1alpha1.FederatedClusterKind, "", name)
	if err != nil {
		return engine.Member{}, err
	}
	if want.Spec.Adopts() {
		return e.adoptMember(ctx, want, prior, live)
	}
	if live != nil && prior == nil {
		return engine.Member{}, &engine.ExistsError{What: "A FederatedCluster \"" + name + "\"", Where: "the host", Import: name, Adoptable: true}
	}
	if prior != nil {
		if err := engine.CheckReplaced(live, prior.UID, e.clusters.Hub.Name()); err != nil {
			return engine.Member{}, err
		}
	}
	cluster, err := e.clusters.Member(name)
	if err != nil {
		return engine.Member{}, err
	}
	was := ""
	if prior != nil {
		was = prior.Status.ClusterUID
	}
	uid, err := clusterset.CheckUID(ctx, cluster, was)
	if err != nil {
		return engine.Member{}, err
	}
	if known != nil && convert.Is(*known, v1alpha1.ConditionJoined) {
		out, err := e.putMember(ctx, want, new(convert.ReachOf(*known)), live, host.Put)
		out.Status.ClusterUID, out.Warning = uid, e.reachedOtherwise(ctx, *known)
		return out, err
	}
	reach, err := e.introduce(ctx, name, cluster, known == nil)
	if err != nil {
		return engine.Member{}, err
	}
	out, err := e.putMember(ctx, want, &reach, live, host.Put)
	if err != nil {
		return engine.Member{}, err
	}
	engine.Written(ctx)
	out.Status, err = e.followJoin(ctx, out, known == nil)
	out.Status.ClusterUID = uid
	return out, err
}

// write writes a registration: [host.Put] or [host.Amend].
type write func(ctx context.Context, host *kube.Cluster, want, live *unstructured.Unstructured) (*unstructured.Unstructured, error)

// putMember writes a registration. If reach is nil, another system has registered the member, and its address and its Secret remain unchanged.
func (e *Engine) putMember(
	ctx context.Context, want engine.Member, reach *convert.Reach, live *unstructured.Unstructured, by write,
) (engine.Member, error) {
	object, err := codec.Encode(convert.FromMember(want.Spec, reach), v1alpha1.GroupVersion.WithKind(v1alpha1.FederatedClusterKind))
	if err != nil {
		return engine.Member{}, err
	}
	if reach == nil {
		for _, field := range []string{"apiEndpoint", "secretRef"} {
			unstructured.RemoveNestedField(object.Object, "spec", field)
		}
	}
	stored, err := by(ctx, e.clusters.Hub, object, live)
	if err != nil {
		return engine.Member{}, err
	}
	now, err := codec.Decode[v1alpha1.FederatedCluster](stored)
	if err != nil {
		return engine.Member{}, err
	}
	return engine.Member{ID: want.ID, UID: string(now.UID), Spec: want.Spec, Status: convert.MemberStatus(*now)}, nil
}

// followJoin waits until a member has joined and is ready. If the member cannot join, followJoin returns an error. If created is true, it then also deletes
// the registration, so that the next apply registers the member again. followJoin returns an error if the registration was recreated. It returns no error if
// the member takes longer than e.pace.Join, because the host continues to join the member.
func (e *Engine) followJoin(ctx context.Context, written engine.Member, created bool) (member.Status, error) {
	name, status, began := written.Spec.Name, written.Status, time.Now()
	var failed error
	_, replaced := controlplane.Poll(ctx, e.pace.Pace, func(ctx context.Context) (bool, error) {
		isOver := time.Since(began) >= e.pace.Join
		found, live, err := host.Get[v1alpha1.FederatedCluster](kube.ReadUnshared(ctx), e.clusters.Hub, v1alpha1.FederatedClusterKind, "", name)
		if err != nil || found == nil {
			return isOver, nil //nolint:nilerr // the host continues to join the member even if the registration cannot be read
		}
		if err := engine.CheckReplaced(live, written.UID, e.clusters.Hub.Name()); err != nil {
			return false, err
		}
		status = convert.MemberStatus(*found)
		joined := convert.Condition(*found, v1alpha1.ConditionJoined)
		if joined != nil && (joined.Reason == v1alpha1.ReasonClusterUnjoinable || joined.Reason == v1alpha1.ReasonJoinTimeoutExceeded) {
			failed = fmt.Errorf("the member %q cannot join: %s (%s)%s", name, joined.Message, joined.Reason, remedy(joined.Reason))
		}
		isReady := convert.Is(*found, v1alpha1.ConditionJoined) && convert.Is(*found, v1alpha1.ConditionReady)
		return isReady || failed != nil || isOver, nil //nolint:nilerr // followJoin returns failed
	})
	if failed != nil && created {
		failed = errors.Join(failed, e.DeleteMember(ctx, written))
	}
	return status, cmp.Or(replaced, failed)
}

func remedy(reason string) string {
	if reason == v1alpha1.ReasonClusterUnjoinable {
		return ". KubeAdmiral does not retry. The member has the namespace " + v1alpha1.SystemNamespace + " of another registration: delete it there if no other " +
			"host manages the cluster, remove the member, and apply again"
	}
	return ". KubeAdmiral does not retry. Check that the host cluster reaches the member at the address of the connection, remove the member, and apply again"
}

// ReadMember reads a registration, and converts it to the form of the configuration: see [convert.MemberAsWritten]. It returns [engine.ErrNotFound] if the
// member is not registered.
func (e *Engine) ReadMember(ctx context.Context, name string, prior *engine.Member) (engine.Member, error) {
	ctx = kube.FailFast(ctx)
	found, live, err := host.Get[v1alpha1.FederatedCluster](ctx, e.clusters.Hub, v1alpha1.FederatedClusterKind, "", name)
	if err != nil {
		return engine.Member{}, err
	}
	if found == nil {
		return engine.Member{}, engine.ErrNotFound
	}
	out := engine.Member{UID: string(found.UID), Status: convert.MemberStatus(*found)}
	if prior == nil {
		out.Spec = convert.MemberAsWritten(*found, nil)
		return out, nil
	}
	if !prior.Spec.Adopts() {
		if err := engine.CheckReplaced(live, prior.UID, e.clusters.Hub.Name()); err != nil {
			return engine.Member{}, err
		}
		out.Warning = e.reachedOtherwise(ctx, *found)
	}
	out.ID, out.Spec, out.Status.ClusterUID = prior.ID, convert.MemberAsWritten(*found, &prior.Spec), prior.Status.ClusterUID
	return out, nil
}

// ListMembers lists the registered members.
func (e *Engine) ListMembers(ctx context.Context) ([]engine.ListedMember, error) {
	found, err := host.List[v1alpha1.FederatedCluster](kube.FailFast(ctx), e.clusters.Hub, v1alpha1.FederatedClusterKind, "", "")
	if err != nil {
		return nil, err
	}
	var out []engine.ListedMember
	for _, m := range found {
		out = append(out, engine.ListedMember{
			Member: engine.Member{Spec: convert.MemberAsWritten(m, nil), Status: convert.MemberStatus(m)}, Joined: true,
		})
	}
	return out, nil
}

// DeleteMember deletes the registration of a member, waits until the member has left, and deletes the Secret that the provider created for the member.
// Placed objects remain on the member with the control plane's label, unless the registration has the annotation kubeadmiral.io/cascading-delete. A member
// that another system has registered remains registered: see releaseMember.
func (e *Engine) DeleteMember(ctx context.Context, prior engine.Member) error {
	name := prior.Spec.Name
	_, live, err := host.Get[v1alpha1.FederatedCluster](ctx, e.clusters.Hub, v1alpha1.FederatedClusterKind, "", name)
	if err != nil {
		return err
	}
	if prior.Spec.Adopts() {
		return e.releaseMember(ctx, prior, live)
	}
	if err := engine.CheckReplaced(live, prior.UID, e.clusters.Hub.Name()); err != nil {
		return err
	}
	if live != nil {
		ref := kube.RefOf(live)
		err := controlplane.Delete(ctx, e.clusters.Hub, ref, live.GetUID())
		if err == nil {
			engine.Written(ctx)
			err = e.clusters.Hub.WaitGone(ctx, ref, live.GetUID())
		}
		if err != nil && !kube.IsNotFound(err) {
			return fmt.Errorf("the member %q has not left: %w. A host first deletes its namespace %s on the member, and waits until the member is reachable", name,
				clusterset.Unreachable(e.clusters.Hub.Name(), err), v1alpha1.SystemNamespace)
		}
	}
	return controlplane.DeleteCreated(ctx, e.clusters.Hub, secretKind, v1alpha1.SystemNamespace, convert.SecretName(name))
}
