package kubeadmiral

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

var secretKind = schema.GroupVersionKind{Version: "v1", Kind: "Secret"}

// managedBy marks a Secret that the engine has made.
const managedBy, provider = "app.kubernetes.io/managed-by", "terraform-provider-fleet"

// ApplyMember registers a member, or changes its registration, and follows a new one until it has joined. The host gets the credentials of the
// provider's own connection, and uses them once, to make a ServiceAccount on the member.
func (e *Engine) ApplyMember(ctx context.Context, want engine.Member, prior *engine.Member) (engine.Member, error) {
	name := want.Spec.Name
	known, live, err := host.Get[v1alpha1.FederatedCluster](ctx, e.clusters.Hub, v1alpha1.FederatedClusterKind, "", name)
	if err != nil {
		return engine.Member{}, err
	}
	if want.Spec.Adopts() {
		return e.adoptMember(ctx, want, live)
	}
	if live != nil && prior == nil {
		return engine.Member{}, &engine.ExistsError{What: "A FederatedCluster \"" + name + "\"", Where: "the host", Import: name, Adoptable: true}
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
	given, err := cluster.Handover(ctx)
	if err == nil && len(given.CA) == 0 && !given.Insecure {
		err = errors.New("the connection has no certificate authority, and a host trusts no other: write cluster_ca_certificate")
	}
	if err != nil {
		return engine.Member{}, fmt.Errorf("the host cannot be told how to reach the member %q: %w", name, err)
	}
	if known == nil || !convert.Is(*known, v1alpha1.ConditionJoined) {
		if known == nil {
			if err := e.awaitVacant(ctx, cluster); err != nil {
				return engine.Member{}, err
			}
		}
		if err := e.putSecret(ctx, name, given); err != nil {
			return engine.Member{}, err
		}
	}
	stored, err := e.putMember(ctx, want.Spec, &convert.Reach{Endpoint: given.URL, Insecure: given.Insecure}, live)
	if err != nil {
		return engine.Member{}, err
	}
	out := engine.Member{ID: want.ID, Spec: want.Spec, Status: convert.MemberStatus(*stored)}
	out.Status, err = e.followJoin(ctx, stored, known == nil)
	out.Status.ClusterUID = uid
	return out, err
}

// adoptMember puts what is configured onto a member that another system has registered.
func (e *Engine) adoptMember(ctx context.Context, want engine.Member, live *unstructured.Unstructured) (engine.Member, error) {
	if live == nil {
		return engine.Member{}, fmt.Errorf("there is no FederatedCluster %q on the host to adopt: with adopt_existing another system has to register the member first",
			want.Spec.Name)
	}
	stored, err := e.putMember(ctx, want.Spec, nil, live)
	if err != nil {
		return engine.Member{}, err
	}
	return engine.Member{ID: want.ID, Spec: want.Spec, Status: convert.MemberStatus(*stored)}, nil
}

func (e *Engine) putMember(ctx context.Context, spec member.Spec, reach *convert.Reach, live *unstructured.Unstructured) (*v1alpha1.FederatedCluster, error) {
	object, err := convert.Encode(convert.FromMember(spec, reach), v1alpha1.FederatedClusterKind)
	if err != nil {
		return nil, err
	}
	if reach == nil {
		for _, field := range []string{"apiEndpoint", "secretRef"} {
			unstructured.RemoveNestedField(object.Object, "spec", field)
		}
	}
	stored, err := host.Put(ctx, e.clusters.Hub, object, live)
	if err != nil {
		return nil, err
	}
	return convert.Decode[v1alpha1.FederatedCluster](stored)
}

// putSecret writes the credentials for a member. What the control plane keeps beside them is its own.
func (e *Engine) putSecret(ctx context.Context, name string, given kube.Handover) error {
	data := map[string]any{}
	set := func(key string, value []byte) {
		if len(value) > 0 {
			data[key] = base64.StdEncoding.EncodeToString(value)
		}
	}
	set(convert.SecretCA, given.CA)
	set(convert.SecretCertificate, given.Certificate)
	set(convert.SecretKey, given.Key)
	set(convert.SecretToken, []byte(given.Token))
	secret := &unstructured.Unstructured{Object: map[string]any{"type": "Opaque", "data": data}}
	secret.SetGroupVersionKind(secretKind)
	secret.SetNamespace(v1alpha1.SystemNamespace)
	secret.SetName(convert.SecretName(name))
	secret.SetLabels(map[string]string{managedBy: provider})
	live, err := e.clusters.Hub.Get(ctx, secretKind, secret.GetNamespace(), secret.GetName())
	if err != nil && !kube.IsNotFound(err) {
		return clusterset.Unreachable(e.clusters.Hub.Name(), err)
	}
	if live != nil && live.GetLabels()[managedBy] != provider {
		return fmt.Errorf("the host has a Secret %s/%s already, which this provider has not made: remove it, or give the member another name", secret.GetNamespace(),
			secret.GetName())
	}
	_, err = host.Put(ctx, e.clusters.Hub, secret, live)
	return err
}

// awaitVacant waits until a member has no namespace of an earlier membership any more: a registration that meets one never joins, not even once
// it is gone. One that nobody removes is an error.
func (e *Engine) awaitVacant(ctx context.Context, cluster *kube.Cluster) error {
	for began := time.Now(); ; {
		found, err := cluster.Get(kube.ReadAnew(ctx), schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, "", v1alpha1.SystemNamespace)
		switch {
		case kube.IsNotFound(err):
			return nil
		case err != nil:
			return clusterset.Unreachable(cluster.Name(), err)
		case found.GetDeletionTimestamp() == nil:
			return fmt.Errorf("the member %q has the namespace %s of a membership that did not end, of a registration with the UID %s: it could not join. If no "+
				"host manages the cluster any more, delete the namespace there, and apply again", cluster.Name(), v1alpha1.SystemNamespace,
				found.GetAnnotations()[v1alpha1.ClusterUIDAnnotation])
		}
		if time.Since(began) >= e.pace.Join || !e.pause(ctx) {
			return fmt.Errorf("the namespace %s of an earlier membership of %q is still being deleted, and a registration before it is gone would never join. "+
				"See what the namespace waits for, and apply again", v1alpha1.SystemNamespace, cluster.Name())
		}
	}
}

// followJoin waits until a member has joined and is ready. One that never will is an error; a new one is removed again then, so that the next apply
// begins anew. A member that takes longer is left to the host.
func (e *Engine) followJoin(ctx context.Context, stored *v1alpha1.FederatedCluster, created bool) (member.Status, error) {
	now := *stored
	for began := time.Now(); ; {
		joined := convert.Condition(now, v1alpha1.ConditionJoined)
		if convert.Is(now, v1alpha1.ConditionJoined) && convert.Is(now, v1alpha1.ConditionReady) {
			return convert.MemberStatus(now), nil
		}
		if joined != nil && (joined.Reason == v1alpha1.ReasonClusterUnjoinable || joined.Reason == v1alpha1.ReasonJoinTimeoutExceeded) {
			err := fmt.Errorf("the member %q cannot join: %s (%s)%s", now.Name, joined.Message, joined.Reason, remedy(joined.Reason))
			if created {
				err = errors.Join(err, e.DeleteMember(ctx, engine.Member{Spec: member.Spec{Name: now.Name}}))
			}
			return convert.MemberStatus(now), err
		}
		if time.Since(began) >= e.pace.Join || !e.pause(ctx) {
			return convert.MemberStatus(now), nil
		}
		found, _, err := host.Get[v1alpha1.FederatedCluster](kube.ReadAnew(ctx), e.clusters.Hub, v1alpha1.FederatedClusterKind, "", now.Name)
		if err == nil && found != nil {
			now = *found
		}
	}
}

// remedy says what helps where the control plane tries no more.
func remedy(reason string) string {
	if reason == v1alpha1.ReasonClusterUnjoinable {
		return ". A host does not try that again. The member has the namespace " + v1alpha1.SystemNamespace + " of another registration: delete it there if no other " +
			"host manages the cluster, remove the member, and apply again"
	}
	return ". A host does not try that again. See that it reaches the member at the address of the connection, remove the member, and apply again"
}

// ReadMember reads the registration, in the words of the configuration where both mean the same.
func (e *Engine) ReadMember(ctx context.Context, name string, prior *engine.Member) (engine.Member, error) {
	found, _, err := host.Get[v1alpha1.FederatedCluster](kube.Look(ctx), e.clusters.Hub, v1alpha1.FederatedClusterKind, "", name)
	if err != nil {
		return engine.Member{}, err
	}
	if found == nil {
		return engine.Member{}, engine.ErrNotFound
	}
	out := engine.Member{Status: convert.MemberStatus(*found)}
	if prior == nil {
		out.Spec = convert.MemberAsWritten(*found, nil)
		return out, nil
	}
	out.ID, out.Spec, out.Status.ClusterUID = prior.ID, convert.MemberAsWritten(*found, &prior.Spec), prior.Status.ClusterUID
	return out, nil
}

// ListMembers lists what is registered.
func (e *Engine) ListMembers(ctx context.Context) ([]engine.ListedMember, error) {
	found, err := host.List[v1alpha1.FederatedCluster](kube.Look(ctx), e.clusters.Hub, v1alpha1.FederatedClusterKind, "", "")
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

// DeleteMember ends the membership. What was placed on the member stays there, with the control plane's label, unless somebody has put the
// annotation kubeadmiral.io/cascading-delete on the registration.
func (e *Engine) DeleteMember(ctx context.Context, prior engine.Member) error {
	name := prior.Spec.Name
	_, live, err := host.Get[v1alpha1.FederatedCluster](ctx, e.clusters.Hub, v1alpha1.FederatedClusterKind, "", name)
	if err != nil {
		return err
	}
	if prior.Spec.Adopts() {
		return e.releaseMember(ctx, prior, live)
	}
	if live != nil {
		ref := kube.RefOf(live)
		err := e.clusters.Hub.Delete(ctx, ref, live.GetUID(), metav1.DeletePropagationBackground)
		if err == nil {
			err = e.clusters.Hub.WaitGone(ctx, ref, live.GetUID())
		}
		if err != nil && !kube.IsNotFound(err) {
			return fmt.Errorf("the member %q has not left: %w. A host takes its namespace %s off a member first, and waits for one that does not answer", name,
				clusterset.Unreachable(e.clusters.Hub.Name(), err), v1alpha1.SystemNamespace)
		}
	}
	secret, err := e.clusters.Hub.Get(ctx, secretKind, v1alpha1.SystemNamespace, convert.SecretName(name))
	if err == nil && secret.GetLabels()[managedBy] == provider {
		err = e.clusters.Hub.Delete(ctx, kube.RefOf(secret), secret.GetUID(), metav1.DeletePropagationBackground)
	}
	if kube.IsNotFound(err) {
		return nil
	}
	return clusterset.Unreachable(e.clusters.Hub.Name(), err)
}

// releaseMember takes what was configured off a member that another system has registered.
func (e *Engine) releaseMember(ctx context.Context, prior engine.Member, live *unstructured.Unstructured) error {
	if live == nil {
		return nil
	}
	_, err := e.putMember(ctx, member.Spec{Name: prior.Spec.Name}, nil, live)
	return err
}
