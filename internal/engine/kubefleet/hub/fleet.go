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
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	cluster "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	placement "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// MemberNamespacePrefix and the name of a member make the namespace that a hub has for the member.
const MemberNamespacePrefix = "fleet-member-"

// Kinds that the provider reads.
var (
	MemberCluster = kindOf(cluster.GroupVersion, cluster.MemberClusterKind)
	Work          = kindOf(placement.GroupVersion, placement.WorkKind)
)

func kindOf(gv schema.GroupVersion, kind string) schema.GroupKind {
	return gv.WithKind(kind).GroupKind()
}

// Fleet is what a hub knows of its members and of one placement.
type Fleet struct {
	Members []cluster.MemberCluster // by name
	// Placement is nil for one that does not exist.
	Placement *placement.ClusterResourcePlacement
	// Policy is the latest policy that the scheduler was told of; nil if there is none yet.
	Policy   *placement.ClusterSchedulingPolicySnapshot
	Bindings []placement.ClusterResourceBinding // by name
	// Content is the latest content.
	Content Content
	// Works are the names of the placement's Works by the name of the member.
	Works map[string][]string
}

// Look reads it. A placement that does not exist has nothing else on the hub, or what is being removed: it is not asked for.
func Look(ctx context.Context, hub *kube.Cluster, of engine.Reference) (*Fleet, error) {
	out := &Fleet{Works: map[string][]string{}}
	group, looking := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		out.Members, err = List[cluster.MemberCluster](looking, hub, MemberCluster, "", "")
		return err
	})
	group.Go(func() (err error) {
		if out.Placement, _, err = Placement(looking, hub, of); out.Placement == nil {
			return err
		}
		return out.placed(looking, hub, of)
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	slices.SortFunc(out.Members, func(a, b cluster.MemberCluster) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// placed reads what the hub has made of the placement.
func (f *Fleet) placed(ctx context.Context, hub *kube.Cluster, of engine.Reference) error {
	kinds, ofPlacement := KindsOf(of), OfPlacement(of)
	var policies []placement.ClusterSchedulingPolicySnapshot
	var works []metav1.ObjectMeta
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		policies, err = List[placement.ClusterSchedulingPolicySnapshot](ctx, hub, kinds.PolicySnapshot, of.Namespace,
			ofPlacement+","+placement.LatestSnapshotLabel+"=true")
		return err
	})
	group.Go(func() (err error) {
		f.Bindings, err = List[placement.ClusterResourceBinding](ctx, hub, kinds.Binding, of.Namespace, ofPlacement)
		return err
	})
	group.Go(func() (err error) {
		f.Content, err = Latest(ctx, hub, of)
		return err
	})
	group.Go(func() (err error) {
		works, err = Works(ctx, hub, "", WorksOf(of))
		return err
	})
	if err := group.Wait(); err != nil {
		return err
	}
	slices.SortFunc(f.Bindings, func(a, b placement.ClusterResourceBinding) int { return cmp.Compare(a.Name, b.Name) })
	if len(policies) > 0 {
		f.Policy = &policies[0]
	}
	for _, work := range works {
		if member, found := strings.CutPrefix(work.Namespace, MemberNamespacePrefix); found {
			f.Works[member] = append(f.Works[member], work.Name)
		}
	}
	return nil
}

// Works are the metadata of Works, in one namespace or in all. Their content is that of whole placements.
func Works(ctx context.Context, hub *kube.Cluster, namespace, labelSelector string) ([]metav1.ObjectMeta, error) {
	gvk, err := Served(ctx, hub, Work)
	if err != nil {
		return nil, err
	}
	found, err := hub.ListMetadata(ctx, gvk, namespace, labelSelector)
	return found, clusterset.Unreachable(hub.Name(), err)
}

// Member is the registration of a member; nil if there is none.
func (f *Fleet) Member(name string) *cluster.MemberCluster {
	i, found := slices.BinarySearchFunc(f.Members, name, func(m cluster.MemberCluster, name string) int { return cmp.Compare(m.Name, name) })
	if !found {
		return nil
	}
	return &f.Members[i]
}

// Forget takes the placement for one that does not exist yet: it will have been deleted by then.
func (f *Fleet) Forget() {
	f.Placement, f.Policy, f.Bindings, f.Content, f.Works = nil, nil, nil, Content{}, map[string][]string{}
}
