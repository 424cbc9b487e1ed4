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

// DefaultAtOnce is how many clusters are worked on at once.
const DefaultAtOnce = 16

// Set is the hub and the members. It is safe for concurrent use.
type Set struct {
	// Hub is nil without one.
	Hub *kube.Cluster
	// Schema is that of the kinds that API servers build in.
	Schema diff.Schema

	members map[string]*kube.Cluster
	names   []string
	atOnce  int
}

// New returns a set. Nothing is dialled. hub is nil without one; atOnce is how many clusters are worked on at once, zero for
// [DefaultAtOnce].
func New(hub *kube.Cluster, members map[string]*kube.Cluster, atOnce int) *Set {
	if atOnce <= 0 {
		atOnce = DefaultAtOnce
	}
	return &Set{Hub: hub, Schema: objectschema.New(), members: members, names: slices.Sorted(maps.Keys(members)), atOnce: atOnce}
}

// Names are those of the members, sorted. They are for reading only.
func (s *Set) Names() []string { return s.names }

// Has tells whether there is a connection to a member.
func (s *Set) Has(name string) bool { return s.members[name] != nil }

// Member returns the connection to a member, or an *[engine.NotConfiguredError].
func (s *Set) Member(name string) (*kube.Cluster, error) {
	if cluster, found := s.members[name]; found {
		return cluster, nil
	}
	return nil, &engine.NotConfiguredError{Member: name, Configured: s.names}
}

// Any are the clusters to ask what every cluster knows: the hub first, then the members.
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

// Each runs work for every name, a bounded number at once, and returns when all are done. One that fails does not stop the others.
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

// EachReachable works on every member at once and names those that do not answer, sorted; other errors are returned.
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

// CheckUID returns the UID of a cluster, which is that of its kube-system namespace, or an error if it is not the one that was known
// before; known is empty if none was.
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

// Unreachable makes an *[engine.UnreachableError] of an error that says that the cluster cannot be reached, and leaves others as they are.
func Unreachable(cluster string, err error) error {
	if err != nil && kube.IsUnreachable(err) {
		return &engine.UnreachableError{Cluster: cluster, Err: err}
	}
	return err
}

// IsUnavailable tells whether an error means that nothing can be had from the cluster now, rather than that one request was not acceptable.
func IsUnavailable(err error) bool { return kube.IsUnreachable(err) || kube.IsUnauthorized(err) }

// IsOffline tells whether a member could not be looked at because it, or the way to it, is at fault: it does not answer, does not accept
// the credentials, or is not configured. Other members are not held up by that. What remains are errors that the user must mend first,
// such as another cluster behind a known name.
func IsOffline(err error) bool {
	_, failed := errors.AsType[*kube.Error](err)
	_, missing := errors.AsType[*engine.NotConfiguredError](err)
	return failed || missing
}

// Ended is an error once the time for an operation is over: what was not looked at by then must not count as looked at.
func Ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return &endedError{cause: context.Cause(ctx)}
}

type endedError struct{ cause error }

func (e *endedError) Error() string {
	return "the time was over before the clusters had been looked at; nothing was written: " + e.cause.Error()
}

func (e *endedError) Unwrap() error { return e.cause }
