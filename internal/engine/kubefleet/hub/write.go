package hub

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Check refuses fields that the version of an object does not have, of which the hub would keep nothing: an *[engine.LimitationError].
func Check(want *unstructured.Unstructured) error {
	missing, err := convert.Unsupported(want)
	if err != nil || len(missing) == 0 {
		return err
	}
	return &engine.LimitationError{Limitation: engine.Limitation{Path: missing[0], Message: fmt.Sprintf(
		"The hub serves %s in version %s only, which has no such field. Leave it out, or upgrade the hub.", want.GetKind(), want.GroupVersionKind().Version)}}
}

// Put writes an object: it creates one of which live is nil, and otherwise applies what is configured. Its spec is what is configured and what the
// hub fills in; labels and annotations that others have added are left alone. A field that the hub does not have is an *[engine.LimitationError],
// and nothing is written then. One that the hub has dropped all the same is an error, too, because nothing would come of it.
func Put(ctx context.Context, cluster *kube.Cluster, want, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return put(ctx, cluster, want, live, false)
}

// Amend is [Put] for an object of another system: only the configured fields of its spec are written. If the object has changed since it was read,
// nothing is written, and [kube.IsOutdated] holds for the error.
func Amend(ctx context.Context, cluster *kube.Cluster, want, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return put(ctx, cluster, want, live, true)
}

func put(ctx context.Context, cluster *kube.Cluster, want, live *unstructured.Unstructured, theirs bool) (*unstructured.Unstructured, error) {
	whole := !theirs
	if err := Check(want); err != nil {
		return nil, err
	}
	if live != nil {
		// Nothing is written where nothing would change.
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

// Restart is how long a hub may take to start anew: so long is a write repeated that it does not answer or cannot serve, and so long is a change
// followed that it tells nothing of. A control plane that is upgraded or moved to another machine is back within one or two minutes, and a kubelet
// waits up to 40 seconds before it starts an API server that has ended for the third time. Whoever gives up before leaves a change that is under way.
const Restart = 2 * time.Minute

const (
	repeatOnce = time.Second
	// attempts is how often an object is written that changes meanwhile: hubs and agents write into the status of theirs all the time.
	attempts = 5
)

// persist writes, again and again while the hub cannot. Of a creation that has failed in this way nobody knows whether it was made: an object
// that is there afterwards, and is as it was sent, is the one. An object that has changed meanwhile is read anew.
// whole asks for fields of the spec to go that somebody else has set.
// Of an object of another system, the version that was read is the only one that is written.
func persist(
	ctx context.Context, cluster *kube.Cluster, want, live *unstructured.Unstructured, whole, theirs bool,
) (*unstructured.Unstructured, error) {
	var failed error
	outdated := 0
	for began := time.Now(); ; {
		stored, err := live, error(nil)
		if whole && live != nil {
			stored, err = removeStrays(ctx, cluster, want, live)
		}
		if err == nil {
			stored, err = write(ctx, cluster, want, stored, kube.ApplyOptions{Force: true, Strict: true, OptimisticLock: theirs})
		}
		switch {
		case failed != nil && kube.IsAlreadyExists(err):
			found, readErr := cluster.Get(kube.ReadAnew(ctx), want.GroupVersionKind(), want.GetNamespace(), want.GetName())
			if readErr == nil && convert.Holds(found, want) {
				return found, nil
			}
			err = cmp.Or(readErr, err)
		case live != nil && kube.IsOutdated(err) && outdated < attempts && !theirs:
			outdated++
			next, readErr := cluster.Get(kube.ReadAnew(ctx), want.GroupVersionKind(), want.GetNamespace(), want.GetName())
			if readErr == nil && next.GetUID() == live.GetUID() {
				live = next
				continue
			}
		}
		again := kube.IsTransient(err) && time.Since(began) < Restart || undiscovered(err) && time.Since(began) < discovery
		if err == nil || !again {
			return stored, err
		}
		failed = err
		if !clusterset.Pause(ctx, repeatOnce) {
			return nil, failed
		}
	}
}

func write(
	ctx context.Context, cluster *kube.Cluster, want, live *unstructured.Unstructured, options kube.ApplyOptions,
) (*unstructured.Unstructured, error) {
	if live == nil {
		return cluster.Create(ctx, want, kube.WriteOptions{Strict: options.Strict, DryRun: options.DryRun})
	}
	stored, _, err := cluster.ApplyServerSide(ctx, want, live, options)
	return stored, err
}

// unknownField finds out whether an object was refused for a field that the hub does not have, as one whose definitions are older; nil if not.
// A dry run shows what the hub would drop.
func unknownField(ctx context.Context, cluster *kube.Cluster, want, live *unstructured.Unstructured) error {
	kept, err := write(ctx, cluster, want, live, kube.ApplyOptions{Force: true, DryRun: true})
	if err != nil {
		return nil //nolint:nilerr // then it is something else that is wrong with it
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
