package hub

import (
	"context"

	"golang.org/x/sync/errgroup"

	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Kinds of override snapshots.
var (
	ClusterOverrideSnapshot = kindOf(wire.GroupVersion, wire.ClusterResourceOverrideSnapshotKind)
	OverrideSnapshot        = kindOf(wire.GroupVersion, wire.ResourceOverrideSnapshotKind)
)

// OverrideSnapshots are the current overrides on the hub, with the names of their snapshots. Bindings and statuses refer to overrides by these names.
type OverrideSnapshots struct {
	override.Overrides
	Names map[override.Reference]string
}

// LatestOverrides reads the latest snapshot of each override. It includes namespaced overrides only if namespaced is true. For a hub that does not serve a
// kind, the result has no overrides of this kind.
func LatestOverrides(ctx context.Context, hub *kube.Cluster, namespaced bool) (OverrideSnapshots, error) {
	const latest = wire.LatestSnapshotLabel + "=true"
	out := OverrideSnapshots{Names: map[override.Reference]string{}}
	var cluster []wire.ClusterResourceOverrideSnapshot
	var inNamespaces []wire.ResourceOverrideSnapshot
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		cluster, err = List[wire.ClusterResourceOverrideSnapshot](ctx, hub, ClusterOverrideSnapshot, "", latest)
		return unlessMissing(err)
	})
	group.Go(func() (err error) {
		if namespaced {
			inNamespaces, err = List[wire.ResourceOverrideSnapshot](ctx, hub, OverrideSnapshot, "", latest)
		}
		return unlessMissing(err)
	})
	err := group.Wait()
	for _, s := range cluster {
		o := override.ClusterResourceOverride{Name: s.Labels[wire.OverrideLabel], Spec: convert.ToClusterOverride(s.Spec.OverrideSpec)}
		out.Cluster = append(out.Cluster, o)
		out.Names[override.Reference{Name: o.Name}] = s.Name
	}
	for _, s := range inNamespaces {
		o := override.ResourceOverride{Namespace: s.Namespace, Name: s.Labels[wire.OverrideLabel], Spec: convert.ToOverride(s.Spec.OverrideSpec)}
		out.Namespaced = append(out.Namespaced, o)
		out.Names[override.Reference{Namespace: s.Namespace, Name: o.Name}] = s.Name
	}
	return out, err
}
