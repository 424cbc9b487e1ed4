package hub

import (
	"cmp"
	"context"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	cluster "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	placement "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// MemberNamespacePrefix followed by the name of a member is the name of the member's namespace on the hub.
const MemberNamespacePrefix = "fleet-member-"

// Kinds of registrations and of Works.
var (
	MemberCluster = kindOf(cluster.GroupVersion, cluster.MemberClusterKind)
	Work          = kindOf(placement.GroupVersion, placement.WorkKind)
)

func kindOf(gv schema.GroupVersion, kind string) schema.GroupKind {
	return gv.WithKind(kind).GroupKind()
}

// Fleet is the state of a hub's members and of one placement.
type Fleet struct {
	Members []cluster.MemberCluster // by name
	// Placement is nil if it does not exist.
	Placement *placement.ClusterResourcePlacement
	// Policy is the latest policy that the scheduler has received; nil if there is none yet, or if it was not read.
	Policy   *placement.ClusterSchedulingPolicySnapshot
	Bindings []placement.ClusterResourceBinding // by name
	Content  Content
	// Works are the metadata of the placement's Works, by the name of the member.
	Works map[string][]metav1.ObjectMeta
	// AtRest reports that the hub has rolled out the current placement, and that the content was not read. The bindings then have no names and no scores.
	AtRest bool
}

// ReadLevel selects how much of the state of a placement is read.
type ReadLevel int

const (
	// ReadAll reads everything.
	ReadAll ReadLevel = iota
	// ReadClusters reads the bindings and Works of the placement, even if the placement no longer exists. It does not read the policy and the content.
	ReadClusters
	// ReadIfAtRest reads only the placement and its Works if the placement is at rest, see [Fleet.AtRest]. Otherwise it reads everything.
	ReadIfAtRest
)

// ReadFleet reads the members and the state of a placement. depth selects how much of this state is read. The bindings and Works of a deleted placement can
// still exist while its objects are removed: only [ReadClusters] reads them.
func ReadFleet(ctx context.Context, hub *kube.Cluster, of engine.Reference, depth ReadLevel) (*Fleet, error) {
	out := &Fleet{Works: map[string][]metav1.ObjectMeta{}}
	group, looking := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		out.Members, err = List[cluster.MemberCluster](looking, hub, MemberCluster, "", "")
		return err
	})
	group.Go(func() (err error) {
		if out.Placement, _, err = Placement(looking, hub, of); err != nil || out.Placement == nil && depth != ReadClusters {
			return err
		}
		if depth == ReadIfAtRest && isAtRest(out.Placement) {
			return out.readAtRest(looking, hub, of)
		}
		return out.placed(looking, hub, of, depth)
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	slices.SortFunc(out.Members, func(a, b cluster.MemberCluster) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// readAtRest reads the clusters of a placement that is at rest according to its status. If the Works show that the placement is not at rest, readAtRest reads
// everything.
func (f *Fleet) readAtRest(ctx context.Context, hub *kube.Cluster, of engine.Reference) error {
	works, err := Works(ctx, hub, "", WorksOf(of))
	if err != nil {
		return err
	}
	if f.Bindings, f.AtRest = bindingsAtRest(f.Placement, works); !f.AtRest {
		return f.placed(ctx, hub, of, ReadAll)
	}
	f.Policy = scheduledPolicy(f.Placement, f.Bindings)
	f.keepWorks(works)
	return nil
}

func (f *Fleet) placed(ctx context.Context, hub *kube.Cluster, of engine.Reference, depth ReadLevel) error {
	var works []metav1.ObjectMeta
	group, looking := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		f.Bindings, err = List[placement.ClusterResourceBinding](looking, hub, KindsOf(of).Binding, of.Namespace, OfPlacement(of))
		return err
	})
	group.Go(func() (err error) {
		if depth != ReadClusters {
			f.Content, err = Latest(looking, hub, of)
		}
		return err
	})
	group.Go(func() (err error) {
		works, err = Works(looking, hub, "", WorksOf(of))
		return err
	})
	if err := group.Wait(); err != nil {
		return err
	}
	slices.SortFunc(f.Bindings, func(a, b placement.ClusterResourceBinding) int { return cmp.Compare(a.Name, b.Name) })
	f.keepWorks(works)
	if depth == ReadClusters {
		return nil
	}
	if f.Policy = scheduledPolicy(f.Placement, f.Bindings); f.Policy != nil {
		return nil
	}
	return f.readPolicy(ctx, hub, of)
}

func (f *Fleet) readPolicy(ctx context.Context, hub *kube.Cluster, of engine.Reference) (err error) {
	f.Policy, err = LatestPolicy(ctx, hub, of)
	return err
}

// LatestPolicy reads the latest policy snapshot of a placement, with the decisions of the scheduler. It returns nil if there is none.
func LatestPolicy(ctx context.Context, hub *kube.Cluster, of engine.Reference) (*placement.ClusterSchedulingPolicySnapshot, error) {
	policies, err := List[placement.ClusterSchedulingPolicySnapshot](ctx, hub, KindsOf(of).PolicySnapshot, of.Namespace,
		OfPlacement(of)+","+placement.LatestSnapshotLabel+"=true")
	if len(policies) == 0 {
		return nil, err
	}
	return &policies[0], err
}

func (f *Fleet) keepWorks(works []metav1.ObjectMeta) {
	for _, work := range works {
		if member, found := strings.CutPrefix(work.Namespace, MemberNamespacePrefix); found {
			f.Works[member] = append(f.Works[member], work)
		}
	}
}

// Works lists the metadata of Works, in one namespace or, for "", in all. It does not read their specs, which contain all placed objects.
func Works(ctx context.Context, hub *kube.Cluster, namespace, labelSelector string) ([]metav1.ObjectMeta, error) {
	return controlplane.Metadata(ctx, hub, Dialect, Work, namespace, labelSelector)
}

// Member returns the registration of a member, or nil if there is none.
func (f *Fleet) Member(name string) *cluster.MemberCluster {
	i, found := slices.BinarySearchFunc(f.Members, name, func(m cluster.MemberCluster, name string) int { return cmp.Compare(m.Name, name) })
	if !found {
		return nil
	}
	return &f.Members[i]
}

// Bound reports whether the placement has a binding to a member. Bindings that are unscheduled or being deleted do not count.
func (f *Fleet) Bound(member string) bool {
	return slices.ContainsFunc(f.Bindings, func(b placement.ClusterResourceBinding) bool {
		return b.Spec.TargetCluster == member && b.Spec.State != placement.BindingStateUnscheduled && b.DeletionTimestamp == nil
	})
}

// WithoutPlacement removes the state of the placement from f, for a placement that is deleted before it is created again.
func (f *Fleet) WithoutPlacement() {
	*f = Fleet{Members: f.Members, Works: map[string][]metav1.ObjectMeta{}}
}
