package owners

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// ListRequest is the input of List.
type ListRequest struct {
	Cluster string
	// Namespaces are the namespaces to list. If it is empty, cluster-scoped objects are listed as well, and objects in all namespaces except those of
	// Kubernetes and of fleets.
	Namespaces []string
	// Groups and Kinds restrict the kinds by their API group and by their name; empty means all. Transient kinds are listed only if Kinds names them.
	Groups, Kinds []string
	LabelSelector string
	OwnedBy       []takeover.OwnerKind
	Limit         int
}

// ByDefault returns the default kinds of owners: all except controllers and Kubernetes itself.
func ByDefault() []takeover.OwnerKind {
	var out []takeover.OwnerKind
	for _, kind := range takeover.OwnerKind("").Values() {
		if of := takeover.OwnerKind(kind); of != takeover.OwnerController && of != takeover.OwnerKubernetes {
			out = append(out, of)
		}
	}
	return out
}

// Owned is an object and its owner. If the owner is a controller, the owner of the controller is not determined.
type Owned struct {
	manifest.Identifier
	Owner takeover.Owner
}

// Unread is a kind that could not be listed. Kind can also name all kinds of an API group. Namespace is empty for a list that was not limited to a namespace.
type Unread struct {
	Kind, Namespace string
	Err             error
}

// Listed is the result of List.
type Listed struct {
	Objects []Owned
	Unread  []Unread
	// RecordsErr is the reason why the records of placements could not be read, or nil. Without the records, objects of placements have the owner
	// [takeover.OwnerApplySet].
	RecordsErr error
}

// List returns the objects of a member whose owner is of a kind in request.OwnedBy. It omits objects that are being deleted. It returns an error if more
// objects match than the limit allows.
func (r *Reader) List(ctx context.Context, request ListRequest) (*Listed, error) {
	member, err := r.clusters.Member(request.Cluster)
	if err != nil {
		return nil, err
	}
	records, recordsErr, err := r.readRecords(ctx, member)
	if err != nil {
		return nil, err
	}
	kinds, err := request.kinds(ctx, member)
	if err != nil {
		return nil, clusterset.Unreachable(request.Cluster, err)
	}
	namespaces := request.Namespaces
	if len(namespaces) == 0 {
		namespaces = []string{metav1.NamespaceAll}
	}
	listing := &listing{request: request, member: member, records: records, counts: map[string]int{}, found: map[identity]Owned{}}
	if listing.unread, err = unavailable(ctx, member, request); err != nil {
		return nil, clusterset.Unreachable(request.Cluster, err)
	}
	group, ctx := errgroup.WithContext(ctx) // if the member cannot be reached, the other lists end as well
	group.SetLimit(kube.MaxParallel)
	for _, kind := range kinds {
		for _, namespace := range namespaces {
			group.Go(func() error { return listing.list(ctx, kind, namespace) })
		}
	}
	if err := group.Wait(); err != nil {
		return nil, clusterset.Unreachable(request.Cluster, err)
	}
	if err := listing.checkLimit(); err != nil {
		return nil, err
	}
	return listing.result(recordsErr), nil
}

// kinds returns the kinds to list. It returns an error for a kind or a group that the member does not serve.
func (r ListRequest) kinds(ctx context.Context, member *kube.Cluster) ([]kube.Kind, error) {
	served, err := member.Kinds(ctx)
	if err != nil {
		return nil, err
	}
	for _, group := range r.Groups {
		if !slices.ContainsFunc(served, func(k kube.Kind) bool { return k.Group == group }) {
			return nil, clusterset.BecauseOf("groups", fmt.Sprintf("the member %q does not serve the API group %q", r.Cluster, group))
		}
	}
	for _, kind := range r.Kinds {
		if !slices.ContainsFunc(served, func(k kube.Kind) bool { return k.Kind == kind && r.hasGroup(k.Group) && isListed(k) }) {
			return nil, clusterset.BecauseOf("kinds", fmt.Sprintf("the member %q serves no kind %q whose objects can be listed", r.Cluster, kind))
		}
	}
	return slices.DeleteFunc(served, func(k kube.Kind) bool { return !r.hasKind(k) || !isListed(k) }), nil
}

func (r ListRequest) hasGroup(group string) bool {
	return len(r.Groups) == 0 || slices.Contains(r.Groups, group)
}

func (r ListRequest) hasKind(k kube.Kind) bool {
	if !r.hasGroup(k.Group) || len(r.Namespaces) > 0 && !k.Namespaced {
		return false
	}
	if len(r.Kinds) > 0 {
		return slices.Contains(r.Kinds, k.Kind)
	}
	return !isTransient(k)
}

// isListed reports whether a kind has stored objects that can be listed. A kind without the verb create, such as metrics, has no stored objects.
func isListed(k kube.Kind) bool {
	return slices.Contains(k.Verbs, "list") && slices.Contains(k.Verbs, "create")
}

// isTransient reports whether controllers continually write objects of a kind.
func isTransient(k kube.Kind) bool {
	switch k.Kind {
	case "Event":
		return k.Group == "" || k.Group == "events.k8s.io"
	case "Endpoints":
		return k.Group == ""
	case "EndpointSlice":
		return k.Group == "discovery.k8s.io"
	case "Lease":
		return k.Group == "coordination.k8s.io"
	}
	return false
}

// unavailable returns the requested API groups whose API service is unavailable.
func unavailable(ctx context.Context, member *kube.Cluster, request ListRequest) ([]Unread, error) {
	groups, err := member.UnavailableGroups(ctx)
	if err != nil {
		return nil, err
	}
	var out []Unread
	for _, group := range groups {
		if request.hasGroup(group.Group) {
			out = append(out, Unread{Kind: "every kind of " + group.String(), Err: fmt.Errorf("the API service of %s is unavailable", group)})
		}
	}
	return out, nil
}

type listing struct {
	request ListRequest
	member  *kube.Cluster
	records *Records

	mu     sync.Mutex
	found  map[identity]Owned
	counts map[string]int // the number of matching objects, by kind
	unread []Unread
}

// list lists the objects of a kind. It counts all matching objects, and stores at most as many as the limit allows.
func (l *listing) list(ctx context.Context, kind kube.Kind, namespace string) error {
	var failed error
	var count int
	var found map[identity]Owned
	restart := func() { failed, count, found = nil, 0, map[identity]Owned{} }
	err := l.member.EachMetadata(ctx, kind.GVK(), namespace, l.request.LabelSelector, restart, func(metadata metav1.ObjectMeta) bool {
		owned, matches, err := l.match(kind, metadata)
		if err != nil {
			failed = err
			return false
		}
		if matches {
			count++
			if count <= l.request.Limit {
				found[identityOf(metadata.UID, owned)] = owned
			}
		}
		return true
	})
	if failed != nil {
		return failed
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		if clusterset.IsUnavailable(err) || ctx.Err() != nil {
			return err
		}
		l.unread = append(l.unread, Unread{Kind: kind.GVK().GroupKind().String(), Namespace: namespace, Err: err})
		return nil
	}
	l.add(kind, count, found)
	return nil
}

// add adds the matching objects of a kind, and their number. It counts an object that several API groups serve only once.
func (l *listing) add(kind kube.Kind, count int, found map[identity]Owned) {
	for id, owned := range found {
		known, again := l.found[id]
		if again {
			count--
		}
		if !again || known.Key().Compare(owned.Key()) > 0 {
			l.found[id] = owned
		}
	}
	l.counts[kind.GVK().GroupKind().String()] += count
}

// identity identifies an object on a member. The object is empty if the UID is known.
type identity struct {
	uid    types.UID
	object manifest.Identifier
}

// identityOf returns the identity of an object. The objects of an aggregated API may have no UID.
func identityOf(uid types.UID, owned Owned) identity {
	if uid != "" {
		return identity{uid: uid}
	}
	return identity{object: owned.Identifier}
}

func (l *listing) match(kind kube.Kind, metadata metav1.ObjectMeta) (out Owned, matches bool, err error) {
	isSystem := workload.IsSystem(kind.GVK().GroupKind(), metadata.Namespace, metadata.Name)
	if metadata.DeletionTimestamp != nil || len(l.request.Namespaces) == 0 && isSystem {
		return Owned{}, false, nil
	}
	live, err := manifest.OfMetadata(kind.GVK(), metadata)
	if err != nil {
		return Owned{}, false, err
	}
	out = Owned{Identifier: manifest.NewObject(live, nil).Identifier, Owner: takeover.Owner{Kind: takeover.OwnerNone}}
	if marks, _ := l.records.marks(live); len(marks) > 0 {
		out.Owner = marks[0].Owner
	}
	return out, slices.Contains(l.request.OwnedBy, out.Owner.Kind), nil
}

const maxCounts = 5

func (l *listing) checkLimit() error {
	total := 0
	var kinds []string
	for kind, count := range l.counts {
		total += count
		kinds = append(kinds, kind)
	}
	if total <= l.request.Limit {
		return nil
	}
	slices.SortFunc(kinds, func(a, b string) int { return cmp.Or(cmp.Compare(l.counts[b], l.counts[a]), cmp.Compare(a, b)) })
	var most []string
	for _, kind := range kinds[:min(maxCounts, len(kinds))] {
		most = append(most, fmt.Sprintf("%d of kind %s", l.counts[kind], kind))
	}
	return clusterset.BecauseOf("limit", fmt.Sprintf("%d objects match, and the limit is %d. Most of them: %s. Set namespaces, groups, kinds, label_selector or "+
		"owned_by to select fewer objects, or a higher limit", total, l.request.Limit, strings.Join(most, ", ")))
}

func (l *listing) result(recordsErr error) *Listed {
	out := &Listed{Unread: l.unread, RecordsErr: recordsErr}
	for _, owned := range l.found {
		out.Objects = append(out.Objects, owned)
	}
	slices.SortFunc(out.Objects, func(a, b Owned) int { return a.Key().Compare(b.Key()) })
	slices.SortFunc(out.Unread, func(a, b Unread) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace))
	})
	return out
}
