package fakekubefleet

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// decoded caches the objects of the last lists: most do not change, and decoding is the most expensive part. Cached objects must not be modified.
type decoded struct {
	mu    sync.Mutex
	kinds map[schema.GroupKind]map[types.UID]version
}

// version is an object at a resourceVersion.
type version struct {
	of     string
	object any
}

// list lists the objects of a kind.
func list[T any](ctx context.Context, kept *decoded, cluster *kube.Cluster, kind schema.GroupKind) ([]T, error) {
	gvk, err := hub.Served(ctx, cluster, kind)
	if err != nil {
		return nil, err
	}
	found, err := cluster.List(ctx, gvk, "", "")
	if err != nil {
		return nil, clusterset.Unreachable(cluster.Name(), err)
	}
	kept.mu.Lock()
	before := kept.kinds[kind]
	kept.mu.Unlock()
	out, now := make([]T, len(found)), make(map[types.UID]version, len(found))
	for i, u := range found {
		of := u.GetAPIVersion() + " " + u.GetResourceVersion()
		one, is := before[u.GetUID()].object.(*T)
		if !is || before[u.GetUID()].of != of {
			if one, err = codec.Decode[T](u); err != nil {
				return nil, err
			}
		}
		out[i], now[u.GetUID()] = *one, version{of: of, object: one}
	}
	kept.mu.Lock()
	defer kept.mu.Unlock()
	if kept.kinds == nil {
		kept.kinds = map[schema.GroupKind]map[types.UID]version{}
	}
	kept.kinds[kind] = now
	return out, nil
}

// listBoth lists the objects of cluster-scoped placements and, if there may be any, those of namespaced placements.
func listBoth[T any](
	ctx context.Context, kept *decoded, cluster *kube.Cluster, scoped bool, kind func(hub.Kinds) schema.GroupKind,
) ([]T, error) {
	out, err := list[T](ctx, kept, cluster, kind(hub.KindsOf(engine.Reference{})))
	if err != nil || !scoped {
		return out, err
	}
	more, err := list[T](ctx, kept, cluster, kind(hub.KindsOf(engine.Reference{Namespace: "any"})))
	return append(out, more...), err
}
