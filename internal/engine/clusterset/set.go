package clusterset

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/objectschema"
)

// DefaultAtOnce is the default number of clusters that [Set.Each] processes in parallel.
const DefaultAtOnce = 16

// Set is the hub and the members. It is safe for concurrent use.
type Set struct {
	// Hub is nil if there is no hub.
	Hub    *kube.Cluster
	Schema diff.Schema

	members map[string]*kube.Cluster
	names   []string
	atOnce  int
}

// New returns a set. It sends no requests. hub is nil if there is none. atOnce is the number of clusters that [Set.Each] processes in parallel; zero means
// [DefaultAtOnce].
func New(hub *kube.Cluster, members map[string]*kube.Cluster, atOnce int) *Set {
	if atOnce <= 0 {
		atOnce = DefaultAtOnce
	}
	return &Set{Hub: hub, Schema: objectschema.New(), members: members, names: slices.Sorted(maps.Keys(members)), atOnce: atOnce}
}

// Names returns the names of the members, sorted. The caller must not change the slice.
func (s *Set) Names() []string { return s.names }

// Has reports whether there is a connection to a member.
func (s *Set) Has(name string) bool { return s.members[name] != nil }

// Member returns the connection to a member, or an *[engine.NotConfiguredError].
func (s *Set) Member(name string) (*kube.Cluster, error) {
	if cluster, found := s.members[name]; found {
		return cluster, nil
	}
	return nil, &engine.NotConfiguredError{Member: name, Configured: s.names}
}

// Any returns all clusters, the hub first. A caller that can read a value from any cluster tries the clusters in this order.
func (s *Set) Any() []*kube.Cluster {
	var out []*kube.Cluster
	if s.Hub != nil {
		out = append(out, s.Hub)
	}
	for _, name := range s.names {
		out = append(out, s.members[name])
	}
	return out
}

// Each calls work for every name, with a bounded number in parallel, and returns when all calls have returned. An error does not stop the other calls.
func (s *Set) Each(ctx context.Context, names []string, work func(ctx context.Context, name string) error) error {
	group := errgroup.Group{}
	group.SetLimit(s.atOnce)
	errs := make([]error, len(names))
	for i, name := range names {
		group.Go(func() error {
			errs[i] = work(ctx, name)
			return nil
		})
	}
	_ = group.Wait()
	return errors.Join(errs...)
}

// EachReachable calls work for every member, as [Set.Each] does. It returns the sorted names of the unreachable members, and other errors.
func (s *Set) EachReachable(ctx context.Context, work func(context.Context, *kube.Cluster) error) (unreachable []string, err error) {
	var mu sync.Mutex
	err = s.Each(ctx, s.names, func(ctx context.Context, name string) error {
		err := work(ctx, s.members[name])
		if kube.IsUnreachable(err) {
			mu.Lock()
			unreachable = append(unreachable, name)
			mu.Unlock()
			return nil
		}
		return err
	})
	slices.Sort(unreachable)
	return unreachable, err
}

// CheckUID returns the UID of a cluster, which is the UID of its kube-system namespace. It returns an *[engine.ClusterReplacedError] if known is not empty and
// the UID differs from it.
func CheckUID(ctx context.Context, cluster *kube.Cluster, known string) (string, error) {
	uid, err := cluster.UID(ctx)
	if err != nil {
		return "", Unreachable(cluster.Name(), err)
	}
	if known != "" && known != string(uid) {
		return "", &engine.ClusterReplacedError{Cluster: cluster.Name(), Was: known, Is: string(uid)}
	}
	return string(uid), nil
}

// Unreachable returns an *[engine.UnreachableError] if err means that the cluster is unreachable, and err otherwise.
func Unreachable(cluster string, err error) error {
	if err != nil && kube.IsUnreachable(err) {
		return &engine.UnreachableError{Cluster: cluster, Err: err}
	}
	return err
}

// IsUnavailable reports whether an error means that no request to the cluster can succeed now, as opposed to one rejected request.
func IsUnavailable(err error) bool { return kube.IsUnreachable(err) || kube.IsUnauthorized(err) }

// IsOffline reports whether an error concerns one member only: a request to the member failed, the member is not configured, or its state is assumed. A plan then
// continues with the other members. It does not continue, for example, if the connection of a member leads to a different cluster than before.
func IsOffline(err error) bool {
	_, isKubeError := errors.AsType[*kube.Error](err)
	_, isNotConfigured := errors.AsType[*engine.NotConfiguredError](err)
	_, isAssumed := errors.AsType[*engine.AssumedError](err)
	return isKubeError || isNotConfigured || isAssumed
}

// Ended returns an error if ctx has ended. Without this check, clusters that an operation did not reach in time would count as checked.
func Ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return &endedError{cause: context.Cause(ctx)}
}

type endedError struct{ cause error }

func (e *endedError) Error() string {
	return "the operation ended before all clusters were checked; no object was written: " + e.cause.Error()
}

func (e *endedError) Unwrap() error { return e.cause }
