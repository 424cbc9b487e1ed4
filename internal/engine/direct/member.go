package direct

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// ApplyMember writes the member's record to the member itself.
func (e *Engine) ApplyMember(ctx context.Context, asked engine.Member, prior *engine.Member) (engine.Member, error) {
	cluster, err := e.clusters.Member(asked.Spec.Name)
	if err != nil {
		return engine.Member{}, err
	}
	known := ""
	if prior != nil {
		known = prior.Status.ClusterUID
	}
	uid, err := clusterset.CheckUID(ctx, cluster, known)
	if err != nil {
		return engine.Member{}, err
	}
	want := record.Member{Spec: asked.Spec, ClusterUID: uid, ID: asked.ID}
	if err := register(ctx, cluster, &want, prior); err != nil {
		return engine.Member{}, clusterset.Unreachable(asked.Spec.Name, err)
	}
	now, err := status(ctx, cluster, uid)
	return engine.Member{ID: want.ID, Spec: asked.Spec, Status: now}, err
}

// register writes the record of a member. If the prior member has no identity, the record keeps its existing identity, and register sets want.ID to it.
func register(ctx context.Context, cluster *kube.Cluster, want *record.Member, prior *engine.Member) error {
	live, known, err := findRegistration(ctx, cluster)
	if err != nil {
		return err
	}
	if known != nil && known.ClusterUID == want.ClusterUID {
		if err := checkRegistration(*want, *known, prior); err != nil {
			return err
		}
		if prior != nil && prior.ID == "" {
			want.ID = cmp.Or(known.ID, want.ID)
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
	if kube.IsUnreachable(err) && ctx.Err() == nil {
		// Either the response or the request was lost. If the record is up to date, the write succeeded.
		if again, _, readErr := findRegistration(ctx, cluster); readErr == nil && again != nil && record.Holds(again, object) {
			return nil
		}
	}
	return err
}

func findRegistration(ctx context.Context, cluster *kube.Cluster) (*unstructured.Unstructured, *record.Member, error) {
	live, err := record.Find(ctx, cluster, record.ConfigMapKind, record.MemberName)
	if err != nil || live == nil {
		return nil, nil, err
	}
	known, err := record.DecodeMember(live)
	return live, known, err
}

// checkRegistration returns an error if a record must not replace the known record of a cluster. The caller ignores a known record of another cluster, which
// comes from a backup.
func checkRegistration(want, known record.Member, prior *engine.Member) error {
	switch {
	case known.Name != want.Name:
		return fmt.Errorf("the cluster that the provider reaches as member %q is registered as member %q. "+
			"Correct the connection in the provider argument \"members\", or remove the other registration first", want.Name, known.Name)
	case prior == nil && (want.ID == "" || known.ID != want.ID):
		return engine.MemberExists(want.Name)
	case prior != nil:
		return checkIdentity(*prior, known)
	default:
		return nil
	}
}

// checkIdentity returns an error if the record of a member belongs to another resource.
func checkIdentity(prior engine.Member, known record.Member) error {
	if prior.ID == "" || known.ID == "" || prior.ID == known.ID {
		return nil
	}
	return &engine.ManagedElsewhereError{
		What: fmt.Sprintf("the member cluster %q", known.Name), Cluster: known.Name, Import: known.Name, Theirs: known.ID, Ours: prior.ID,
	}
}

// ReadMember reads a member's record and its live status.
func (e *Engine) ReadMember(ctx context.Context, name string, prior *engine.Member) (engine.Member, error) {
	ctx = kube.FailFast(ctx)
	cluster, err := e.clusters.Member(name)
	if err != nil {
		return engine.Member{}, err
	}
	_, known, err := findRegistration(ctx, cluster)
	if err != nil {
		return engine.Member{}, wrapUnavailable(name, err)
	}
	if known == nil {
		return engine.Member{}, engine.ErrNotFound
	}
	uid, err := cluster.UID(ctx)
	if err != nil {
		return engine.Member{}, wrapUnavailable(name, err)
	}
	if known.Name != name || known.ClusterUID != string(uid) {
		return engine.Member{}, engine.ErrNotFound
	}
	if prior != nil {
		if err := checkIdentity(*prior, *known); err != nil {
			return engine.Member{}, err
		}
	}
	now, err := status(ctx, cluster, string(uid))
	return engine.Member{ID: known.ID, Spec: known.Spec, Status: now}, wrapUnavailable(name, err)
}

// wrapUnavailable returns an *[engine.MemberUnreachableError] if a member cannot be read at all, for example because it rejects the credentials. One such
// member must not end the refresh of all members.
func wrapUnavailable(name string, err error) error {
	if clusterset.IsUnavailable(err) {
		return &engine.MemberUnreachableError{Member: name, Err: err, Responds: !kube.IsUnreachable(err)}
	}
	return err
}

func status(ctx context.Context, cluster *kube.Cluster, uid string) (member.Status, error) {
	out := member.Status{ClusterUID: uid, Conditions: []member.Condition{
		{Type: member.Joined, Status: "True", Reason: "MemberClusterJoined", Message: "The cluster is registered."},
		{Type: member.Healthy, Status: "True", Reason: "Reachable", Message: "The API server answers."},
	}}
	var err error
	out.Properties, out.Usage, err = clusterset.Measure(ctx, cluster)
	return out, err
}

// ListMembers reads every configured member, including those that do not respond or are not registered.
func (e *Engine) ListMembers(ctx context.Context) ([]engine.ListedMember, error) {
	ctx = kube.FailFast(ctx)
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

// DeleteMember removes the record. Placed objects remain on the cluster, as they do when a cluster leaves a KubeFleet fleet.
func (e *Engine) DeleteMember(ctx context.Context, prior engine.Member) error {
	err := e.unregister(ctx, prior)
	if kube.IsUnreachable(err) {
		return &engine.MemberUnreachableError{Member: prior.Spec.Name, Err: err}
	}
	return err
}

func (e *Engine) unregister(ctx context.Context, prior engine.Member) error {
	name := prior.Spec.Name
	cluster, err := e.clusters.Member(name)
	if err != nil {
		return err
	}
	if _, err := clusterset.CheckUID(ctx, cluster, prior.Status.ClusterUID); err != nil {
		return err
	}
	live, err := record.Find(ctx, cluster, record.ConfigMapKind, record.MemberName)
	if err != nil || live == nil {
		return err
	}
	if known, err := record.DecodeMember(live); err == nil {
		if known.Name != name {
			return nil
		}
		if err := checkIdentity(prior, *known); err != nil {
			return err
		}
	}
	return record.Remove(ctx, cluster, live)
}
