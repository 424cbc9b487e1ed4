package kubeadmiral

import (
	"context"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// putObjects writes the objects in waves, for example a Namespace before the objects in it, and concurrently within a wave. It records the results in
// w.written and w.failed.
func (w *writing) putObjects(ctx context.Context) {
	waves := map[int][]*predict.Object{}
	for _, o := range w.found.Objects {
		wave := rollout.Wave(o.Group, w.found.Fleet.Types[o.GroupVersionKind()].Spec.SourceType.PluralName)
		waves[wave] = append(waves[wave], o)
	}
	var mu sync.Mutex
	for _, wave := range slices.Sorted(maps.Keys(waves)) {
		var group errgroup.Group
		group.SetLimit(kube.MaxParallel)
		for _, o := range waves[wave] {
			group.Go(func() error {
				stored, err := w.put(ctx, w.engine.clusters.Hub, o)
				mu.Lock()
				defer mu.Unlock()
				if stored != nil {
					w.written[o.Key()] = stored
				}
				if err != nil {
					w.failed[o.Key()] = err
				}
				return nil
			})
		}
		_ = group.Wait()
	}
}

// put writes one object, or only the labels and annotations of the placement if the object does not come from a manifest. It returns the stored object. It
// returns nil for a selected Namespace, and for a selected object that does not exist on the host.
//
// If an object of a manifest is being deleted on the host, put waits until the object is gone, and creates it again.
func (w *writing) put(ctx context.Context, cluster *kube.Cluster, o *predict.Object) (*unstructured.Unstructured, error) {
	keys, err := w.found.Keys(o)
	if err != nil {
		return nil, err
	}
	var stored *unstructured.Unstructured
	live := o.Live
	switch {
	case o.Manifest == nil && (o.IsNamespace() || o.Live == nil):
		return nil, nil
	case o.Manifest != nil && live != nil && live.GetDeletionTimestamp() != nil:
		if err := host.WaitGone(ctx, cluster, live); err != nil {
			return nil, err
		}
		live = nil
	}
	switch {
	case o.Giver != nil && live != nil && !o.IsNamespace():
		stored, err = host.Take(ctx, cluster, w.found.Placement.Reference, o.Giver.Of, o.Manifest, live, keys)
	case o.Manifest == nil:
		stored, err = host.Key(ctx, cluster, w.found.Placement.Reference, o.Live, keys)
	case o.IsNamespace():
		stored, err = host.Put(ctx, cluster, o.Manifest, live)
	default:
		stored, err = host.PutKeyed(ctx, cluster, w.found.Placement.Reference, o.Manifest, live, keys)
	}
	if err != nil {
		return stored, err
	}
	if manifest.IsDefinition(o.Identifier) {
		cluster.ResetDiscovery()
	}
	return stored, w.resume(ctx, cluster, o)
}

// resume removes the annotation with which an incomplete removal has excluded an object from placement.
func (w *writing) resume(ctx context.Context, cluster *kube.Cluster, o *predict.Object) error {
	if !o.Held() {
		return nil
	}
	return clusterset.Unreachable(cluster.Name(), cluster.RemoveMetadata(ctx, o.Live, nil, []string{v1alpha1.NoFederatedResourceAnnotation}))
}

// removed returns the objects on the host that are no longer placed: objects that leave the placement, and objects that the record listed before this apply
// but that no manifest contains now.
func (w *writing) removed(ctx context.Context, before, now host.Made) (map[key]*unstructured.Unstructured, error) {
	var ids []manifest.Identifier
	for _, f := range w.found.Leaving {
		ids = append(ids, f.Identifier())
	}
	for k, id := range before {
		_, stays := now[k]
		if !stays && !slices.ContainsFunc(ids, func(other manifest.Identifier) bool { return other.Key() == k }) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return host.Objects(ctx, w.engine.clusters.Hub, ids)
}
