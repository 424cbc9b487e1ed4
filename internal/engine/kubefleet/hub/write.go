package hub

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Put writes an object: it creates one of which live is nil, and otherwise applies what is configured and leaves alone what others have added. A
// field that the hub's version of the API does not have is an *[engine.LimitationError]; one that the hub has dropped all the same is an
// error, too, because nothing would come of it.
func Put(ctx context.Context, cluster *kube.Cluster, want, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	missing, err := convert.Unsupported(want)
	if err != nil {
		return nil, err
	}
	if len(missing) > 0 {
		return nil, &engine.LimitationError{Limitation: engine.Limitation{Path: missing[0], Message: fmt.Sprintf(
			"The hub serves %s in version %s only, which has no such field. Leave it out, or upgrade the hub.", want.GetKind(), want.GroupVersionKind().Version)}}
	}
	stored, err := write(ctx, cluster, want, live)
	for attempt := 1; live != nil && kube.IsOutdated(err) && attempt < attempts; attempt++ {
		next, readErr := cluster.Get(kube.ReadAnew(ctx), live.GroupVersionKind(), live.GetNamespace(), live.GetName())
		if readErr != nil || next.GetUID() != live.GetUID() {
			break
		}
		live = next
		stored, err = write(ctx, cluster, want, live)
	}
	if err != nil {
		return nil, clusterset.Unreachable(cluster.Name(), err)
	}
	return stored, dropped(want, stored)
}

// attempts is how often an object is written that changes meanwhile: hubs and agents write into the status of theirs all the time.
const attempts = 5

func write(ctx context.Context, cluster *kube.Cluster, want, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if live == nil {
		return cluster.Create(ctx, want, kube.WriteOptions{Strict: true})
	}
	stored, _, err := cluster.ApplyServerSide(ctx, want, live, kube.ApplyOptions{Force: true, Strict: true})
	return stored, err
}

func dropped(want, stored *unstructured.Unstructured) error {
	paths := convert.Pruned(want, stored)
	if len(paths) == 0 {
		return nil
	}
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = path.String()
	}
	return fmt.Errorf("the hub has stored the %s %q without %s: its CustomResourceDefinition is older than these arguments. Leave them out, or "+
		"upgrade the hub", stored.GetKind(), stored.GetName(), strings.Join(names, ", "))
}
