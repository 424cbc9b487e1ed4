package direct

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// ApplyMember writes the member's record onto the member itself.
func (e *Engine) ApplyMember(ctx context.Context, spec member.Spec, prior *engine.Member) (member.Status, error) {
	cluster, err := e.clusters.Member(spec.Name)
	if err != nil {
		return member.Status{}, err
	}
	known := ""
	if prior != nil {
		known = prior.Status.ClusterUID
	}
	uid, err := clusterset.CheckUID(ctx, cluster, known)
	if err != nil {
		return member.Status{}, err
	}
	want := record.Member{Spec: spec, ClusterUID: uid}
	if err := register(ctx, cluster, want, prior == nil); err != nil {
		return member.Status{}, clusterset.Unreachable(spec.Name, err)
	}
	return status(ctx, cluster, uid)
}

// register writes the record of a member.
func register(ctx context.Context, cluster *kube.Cluster, want record.Member, create bool) error {
	live, known, err := registered(ctx, cluster)
	if err != nil {
		return err
	}
	if known != nil {
		if err := mayRegister(want, *known, create); err != nil {
			return err
		}
	}
	if err := record.EnsureNamespace(ctx, cluster); err != nil {
		return err
	}
	object, err := want.Encode()
	if err != nil {
		return err
	}
	_, err = record.Put(ctx, cluster, object, live)
	return err
}

// registered returns the record that a cluster has; nil if there is none.
func registered(ctx context.Context, cluster *kube.Cluster) (*unstructured.Unstructured, *record.Member, error) {
	live, err := cluster.Get(ctx, record.ConfigMapKind, record.Namespace, record.MemberName)
	if kube.IsNotFound(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	known, err := record.DecodeMember(live)
	return live, known, err
}

// mayRegister tells whether a record may replace the one that a cluster has. A record that came from another cluster (in a backup, say)
// does not count. An equal one is what an apply leaves that was killed before it could save its state.
func mayRegister(want, known record.Member, create bool) error {
	switch {
	case known.ClusterUID != want.ClusterUID:
		return nil
	case known.Name != want.Name:
		return fmt.Errorf("the cluster that the provider reaches as member %q is registered as member %q. "+
			"Correct the connection in the provider argument \"members\", or remove the other registration first", want.Name, known.Name)
	case create && !reflect.DeepEqual(known.Spec, want.Spec):
		return &engine.ExistsError{What: fmt.Sprintf("A registration of member %q", want.Name), Where: want.Name, Import: want.Name}
	default:
		return nil
	}
}

// ReadMember reads the record and the live status.
func (e *Engine) ReadMember(ctx context.Context, name string, _ *engine.Member) (engine.Member, error) {
	ctx = kube.Look(ctx)
	cluster, err := e.clusters.Member(name)
	if err != nil {
		return engine.Member{}, err
	}
	_, known, err := registered(ctx, cluster)
	if err != nil {
		return engine.Member{}, unavailable(name, err)
	}
	if known == nil {
		return engine.Member{}, engine.ErrNotFound
	}
	uid, err := cluster.UID(ctx)
	if err != nil {
		return engine.Member{}, unavailable(name, err)
	}
	if known.Name != name || known.ClusterUID != string(uid) {
		return engine.Member{}, engine.ErrNotFound
	}
	now, err := status(ctx, cluster, string(uid))
	return engine.Member{Spec: known.Spec, Status: now}, err
}

// unavailable makes an *[engine.UnreachableError] of a failure to look at a member from which nothing can be had, credentials that it does
// not accept included: one of many must not end the refresh of all.
func unavailable(name string, err error) error {
	if clusterset.IsUnavailable(err) {
		return &engine.UnreachableError{Cluster: name, Err: err}
	}
	return err
}

// status is that of a member that answers.
func status(ctx context.Context, cluster *kube.Cluster, uid string) (member.Status, error) {
	out := member.Status{ClusterUID: uid, Conditions: []member.Condition{
		{Type: member.Joined, Status: "True", Reason: "MemberClusterJoined", Message: "The cluster is registered."},
		{Type: member.Healthy, Status: "True", Reason: "Reachable", Message: "The API server answers."},
	}}
	var err error
	out.Properties, out.Usage, err = clusterset.Measure(ctx, cluster)
	return out, err
}

// ListMembers reads every configured member. One that does not answer, or is not registered, is listed as such.
func (e *Engine) ListMembers(ctx context.Context) ([]engine.ListedMember, error) {
	ctx = kube.Look(ctx)
	names := e.clusters.Names()
	out := make([]engine.ListedMember, len(names))
	err := e.clusters.Each(ctx, names, func(ctx context.Context, name string) error {
		listed := engine.ListedMember{Member: engine.Member{Spec: member.Spec{Name: name}}}
		known, err := e.ReadMember(ctx, name, nil)
		switch {
		case errors.Is(err, engine.ErrNotFound):
		case err != nil:
			listed.Err = err
		default:
			listed = engine.ListedMember{Member: known, Joined: true}
		}
		out[slices.Index(names, name)] = listed
		return nil
	})
	return out, err
}

// DeleteMember removes the record. Objects that were placed on the cluster stay, as they do when a cluster leaves a KubeFleet fleet.
func (e *Engine) DeleteMember(ctx context.Context, prior engine.Member) error {
	name := prior.Spec.Name
	cluster, err := e.clusters.Member(name)
	if err != nil {
		return err
	}
	if _, err := clusterset.CheckUID(ctx, cluster, prior.Status.ClusterUID); err != nil {
		return err
	}
	live, err := cluster.Get(ctx, record.ConfigMapKind, record.Namespace, record.MemberName)
	if kube.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return clusterset.Unreachable(name, err)
	}
	if known, err := record.DecodeMember(live); err == nil && known.Name != name {
		return nil
	}
	return clusterset.Unreachable(name, record.Remove(ctx, cluster, live))
}
