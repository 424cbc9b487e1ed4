package kubefleet

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

func (e *Engine) requireServed(ctx context.Context, kinds ...schema.GroupKind) error {
	for _, kind := range kinds {
		if _, err := hub.Served(kube.ShareReads(ctx), e.clusters.Hub, kind); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) find(ctx context.Context, kind schema.GroupKind, reference engine.Reference) (*unstructured.Unstructured, error) {
	return controlplane.Find(ctx, e.clusters.Hub, hub.Dialect, kind, reference.Namespace, reference.Name)
}

// findKnown reads an object, and checks its UID if uid is not empty. It returns [engine.ErrNotFound] if the object does not exist.
func (e *Engine) findKnown(ctx context.Context, kind schema.GroupKind, reference engine.Reference, uid string) (*unstructured.Unstructured, error) {
	live, err := e.find(ctx, kind, reference)
	if err == nil && live == nil {
		err = engine.ErrNotFound
	}
	if err == nil {
		err = engine.CheckReplaced(live, uid, e.clusters.Hub.Name())
	}
	return live, err
}

// write applies object, a value of a type in package api, and returns the stored object. The field manager of the provider owns only the configured fields. If
// create is true, the object must not exist yet. If uid is not empty, an existing object must have this UID.
func (e *Engine) write(
	ctx context.Context, kind schema.GroupKind, reference engine.Reference, object any, create bool, uid string,
) (*unstructured.Unstructured, error) {
	live, err := e.find(ctx, kind, reference)
	if err != nil {
		return nil, err
	}
	if live != nil && create {
		return nil, hub.Exists(kind, reference)
	}
	if err := engine.CheckReplaced(live, uid, e.clusters.Hub.Name()); err != nil {
		return nil, err
	}
	gvk, err := hub.Served(ctx, e.clusters.Hub, kind)
	if err != nil {
		return nil, err
	}
	want, err := codec.Encode(object, gvk)
	if err != nil {
		return nil, err
	}
	return hub.Put(ctx, e.clusters.Hub, want, live)
}

func uidOf(u *unstructured.Unstructured) string {
	if u == nil {
		return ""
	}
	return string(u.GetUID())
}

// read reads an object and returns its UID. If uid is not empty, it must be the UID of the object. read passes the decoded object to decodeKnown, which keeps
// the configured values where the stored values mean the same. If there is no configuration, decodeKnown is nil, and read passes the object and the field
// manager of the provider to decodeImported.
func read[T any](
	ctx context.Context, e *Engine, kind schema.GroupKind, reference engine.Reference, uid string,
	decodeKnown func(*T) error, decodeImported func(live *unstructured.Unstructured, manager string) error,
) (found string, err error) {
	live, err := e.findKnown(ctx, kind, reference, uid)
	if err != nil {
		return "", err
	}
	if decodeKnown == nil {
		return string(live.GetUID()), decodeImported(live, e.clusters.Hub.FieldManager(""))
	}
	stored, err := codec.Decode[T](live)
	if err != nil {
		return "", err
	}
	return string(live.GetUID()), decodeKnown(stored)
}

// remove deletes an object and waits until it is gone, but at most for e.pace.Silence. The hub agent sets finalizers on some kinds, and the same run may create
// an object with this name next. If uid is not empty, the object must have that UID. A missing object is not an error.
func (e *Engine) remove(ctx context.Context, kind schema.GroupKind, reference engine.Reference, uid string) error {
	live, err := e.find(ctx, kind, reference)
	if err == nil {
		err = engine.CheckReplaced(live, uid, e.clusters.Hub.Name())
	}
	if err != nil || live == nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, e.pace.Silence)
	defer cancel()
	return e.removeLive(limited, live, "The hub agent removes finalizers: check that it is running, and try again.")
}

// removeLive deletes an object and waits until it is gone. It does not delete an object that was recreated since it was read. The error after a timeout ends
// with advice.
func (e *Engine) removeLive(ctx context.Context, live *unstructured.Unstructured, advice string) error {
	ref := kube.RefOf(live)
	gone, err := e.clusters.Hub.Remove(ctx, ref, live.GetUID(), metav1.DeletePropagationBackground)
	if err == nil && !gone {
		engine.Written(ctx)
		err = e.clusters.Hub.WaitGone(ctx, ref, live.GetUID())
	}
	if kube.IsNotFound(err) {
		return nil
	}
	if _, stays := errors.AsType[*kube.StillThereError](err); stays {
		return fmt.Errorf("%w. %s", err, advice)
	}
	return clusterset.Unreachable(e.clusters.Hub.Name(), err)
}
