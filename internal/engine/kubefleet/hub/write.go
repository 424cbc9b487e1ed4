package hub

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Check returns an *[engine.LimitationError] if an object has a field that its API version does not have. The hub would reject or drop such a field.
func Check(want *unstructured.Unstructured) error {
	missing, err := convert.Unsupported(want)
	if err != nil || len(missing) == 0 {
		return err
	}
	return &engine.LimitationError{Limitation: engine.Limitation{Path: missing[0], Message: fmt.Sprintf(
		"The hub serves %s in version %s only, which has no such field. Leave it out, or upgrade the hub.", want.GetKind(), want.GroupVersionKind().Version)}}
}

// Put creates an object if live is nil, and otherwise applies the configured fields. The resulting spec has only the configured fields and those that the hub
// fills in. Labels and annotations set by others remain unchanged. For a field that the hub does not have, Put writes nothing and returns an
// *[engine.LimitationError]. If the hub drops a field nevertheless, Put returns the stored object and an error.
func Put(ctx context.Context, cluster *kube.Cluster, want, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return put(ctx, cluster, want, live, false)
}

// Amend writes an object of another system as [Put] does, but keeps all other fields of its spec. If the object has changed since it was read, Amend writes
// nothing and returns an error for which [kube.IsOutdated] returns true.
func Amend(ctx context.Context, cluster *kube.Cluster, want, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return put(ctx, cluster, want, live, true)
}

func put(ctx context.Context, cluster *kube.Cluster, want, live *unstructured.Unstructured, theirs bool) (*unstructured.Unstructured, error) {
	whole := !theirs
	want, err := convert.WithoutEmpty(want)
	if err == nil {
		err = Check(want)
	}
	if err != nil {
		return nil, err
	}
	if live != nil {
		// Do not write if nothing would change.
		tried, changed, err := cluster.ApplyServerSide(ctx, want, live, kube.ApplyOptions{Force: true, Strict: true, DryRun: true})
		if err == nil {
			spec, unread := convert.WithoutStrays(want, tried)
			whole = whole && unread == nil && spec != nil
		}
		if err == nil && !changed && !whole {
			return live, dropped(want, live)
		}
	}
	stored, err := persist(ctx, cluster, want, live, whole, theirs)
	if kube.IsInvalid(err) {
		if limitation := unknownField(ctx, cluster, want, live); limitation != nil {
			return nil, limitation
		}
	}
	if err != nil {
		return nil, clusterset.Unreachable(cluster.Name(), err)
	}
	return stored, dropped(want, stored)
}

// persist creates or applies an object. With whole, it first removes the stray fields of the spec (see removeStrays). If the response to a create is lost, an
// existing object counts as the created one if it has the content that was sent. With theirs, the object belongs to another system: persist does not write the
// object if it has changed since it was read. Otherwise, persist reads the object again after a conflict and retries.
func persist(
	ctx context.Context, cluster *kube.Cluster, want, live *unstructured.Unstructured, whole, theirs bool,
) (*unstructured.Unstructured, error) {
	discovers := controlplane.Retry{Matches: undiscovered, For: discovery}
	if live == nil {
		return controlplane.Create(ctx, cluster, want, func(found *unstructured.Unstructured) bool { return convert.Holds(found, want) }, discovers)
	}
	apply := func() (stored *unstructured.Unstructured, err error) {
		if stored = live; whole {
			stored, err = removeStrays(ctx, cluster, want, live)
		}
		if err == nil {
			stored, _, err = cluster.ApplyServerSide(ctx, want, stored, kube.ApplyOptions{Force: true, Strict: true, OptimisticLock: theirs})
		}
		return stored, err
	}
	return controlplane.Repeat(ctx, func() (*unstructured.Unstructured, error) {
		if theirs {
			return apply()
		}
		return controlplane.RepeatConflicts(func(attempt int) (*unstructured.Unstructured, error) {
			if attempt > 1 {
				next, err := controlplane.ReadAgain(ctx, cluster, live)
				if err != nil {
					return nil, err
				}
				live = next
			}
			return apply()
		})
	}, discovers)
}

// unknownField returns an *[engine.LimitationError] if an object was rejected because the CustomResourceDefinitions of the hub are older and lack a field,
// and nil otherwise. A dry run shows which fields the hub would drop.
func unknownField(ctx context.Context, cluster *kube.Cluster, want, live *unstructured.Unstructured) (limitation error) {
	var kept *unstructured.Unstructured
	var err error
	if live == nil {
		kept, err = cluster.Create(ctx, want, kube.WriteOptions{DryRun: true})
	} else {
		kept, _, err = cluster.ApplyServerSide(ctx, want, live, kube.ApplyOptions{Force: true, DryRun: true})
	}
	if err != nil {
		return nil //nolint:nilerr // the object was rejected for another reason
	}
	paths := convert.Pruned(want, kept)
	if len(paths) == 0 {
		return nil
	}
	return &engine.LimitationError{Limitation: engine.Limitation{Path: paths[0], Message: fmt.Sprintf(
		"The hub's definition of %s is older than this argument and has no such field. Leave it out, or upgrade the hub.", want.GetKind())}}
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

// discovery is how long a hub may take to discover a newly installed kind. The hub agent that is the leader runs discovery every 30 seconds (KubeFleet,
// pkg/resourcewatcher).
const discovery = time.Minute

// undiscovered reports whether the hub's webhook denied a placement because the hub agent has not discovered the selected kinds yet (KubeFleet,
// pkg/utils/validator/placement.go, validatePlacement). Only the message shows this. The message is the same for a kind that the placement cannot select.
func undiscovered(err error) bool {
	if !kube.IsForbidden(err) {
		return false
	}
	text := err.Error()
	return strings.Contains(text, "not found in schema (please retry)") || strings.Contains(text, "cannot perform resource scope check for now, please retry")
}

// removeStrays removes the stray fields of the spec: fields that are neither configured nor set by the hub. It returns the stored object. It returns a conflict
// if the object has changed since it was read.
func removeStrays(ctx context.Context, cluster *kube.Cluster, want, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	spec, err := convert.WithoutStrays(want, live)
	if err != nil || spec == nil {
		return live, err
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": live.GetUID(), "resourceVersion": live.GetResourceVersion()}, "spec": spec,
	})
	if err != nil {
		return nil, err
	}
	return cluster.Patch(ctx, kube.RefOf(live), types.MergePatchType, patch, kube.WriteOptions{Strict: true})
}
