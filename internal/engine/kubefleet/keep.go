package kubefleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/agent"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// keptObject is an object that remains on a member when its placement is deleted.
type keptObject struct {
	member *kube.Cluster
	object manifest.Identifier
	ref    kube.Ref
	// handed reports that the object keeps its temporary owner until another placement takes the object over.
	handed bool
}

// keep adds a temporary owner to the objects that must remain when a placement is deleted: objects that another placement takes over and, with the propagation
// policy Abandon, all objects that would be deleted. Agents support neither case. But neither an agent nor the garbage collector deletes an object that has
// another owner. keep returns the objects to which it has added the temporary owner, and those that have it from an earlier attempt of the removal. If an
// object cannot be kept, keep calls removeTemporaryOwners for the others and returns an error. The caller must not delete the placement after an error.
func (e *Engine) keep(ctx context.Context, found *predict.Prediction) ([]keptObject, error) {
	var (
		mu    sync.Mutex
		out   []keptObject
		names []string
	)
	for _, c := range found.Clusters {
		if c.Err != nil && found.Abandons() {
			return nil, keepError(found, c.Name, c.Err)
		}
		if c.Err == nil && len(c.Leftovers) > 0 {
			names = append(names, c.Name)
		}
	}
	err := e.clusters.Each(ctx, names, func(ctx context.Context, name string) error {
		kept, err := e.keepOn(ctx, found, found.Cluster(name))
		mu.Lock()
		defer mu.Unlock()
		out = append(out, kept...)
		if err != nil {
			return keepError(found, name, err)
		}
		return nil
	})
	if err == nil {
		return out, nil
	}
	return nil, errors.Join(err, e.removeTemporaryOwners(ctx, out, !found.Remains()))
}

func keepError(found *predict.Prediction, name string, err error) error {
	if !found.Remains() {
		return fmt.Errorf("the placement is already deleted on the hub, and the objects to keep on %q could not be checked. Destroy again: %w", name, err)
	}
	return fmt.Errorf("nothing was deleted, because the objects to keep on %q cannot be kept: %w", name, err)
}

func (e *Engine) keepOn(ctx context.Context, found *predict.Prediction, c *predict.Cluster) (out []keptObject, err error) {
	member, err := e.clusters.Member(c.Name)
	if err != nil {
		return nil, err
	}
	removed := found.Placement.Reference.String()
	for _, o := range c.Leftovers {
		if o.Action == takeover.ActionUnknown && found.RetainsObjects() {
			return out, o.Unseen
		}
		if o.Live == nil {
			continue
		}
		kept := keptObject{member: member, object: o.Identifier, ref: kube.RefOf(o.Live), handed: o.Action == takeover.ActionHandOver}
		there := slices.ContainsFunc(o.Live.GetOwnerReferences(), kept.isKeeper)
		switch {
		case there && o.Action == takeover.ActionPrune: // an earlier attempt of the removal was to hand the object over, and this attempt deletes it
			err = kept.removeTemporaryOwner(ctx)
		case there && (o.Action == takeover.ActionOrphan || kept.handed):
			kept.handed = kept.handed || agent.HandedBy(o.Live) != ""
			out = append(out, kept)
		case kept.handed:
			out = append(out, kept)
			err = kept.addTemporaryOwner(ctx, o, removed)
		case o.Obstacle == takeover.ObstacleAbandoned:
			out = append(out, kept)
			err = kept.addTemporaryOwner(ctx, o, removed)
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// addTemporaryOwner adds the temporary owner to the object. It does not change an object that has lost its owner references to AppliedWorks since the
// prediction read it. removed is the name of the placement that is deleted.
func (k keptObject) addTemporaryOwner(ctx context.Context, o *memberpreview.Object, removed string) error {
	namespace, err := k.member.Get(ctx, schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, "", agent.KeeperOf(o.Namespace))
	if err != nil {
		return err
	}
	before := o.Live.GetOwnerReferences()
	return k.change(ctx, removed, func(owners []metav1.OwnerReference) []metav1.OwnerReference {
		if !slices.ContainsFunc(owners, func(ref metav1.OwnerReference) bool {
			return ref.Kind == agent.AppliedWork && slices.ContainsFunc(before, func(was metav1.OwnerReference) bool { return was.UID == ref.UID })
		}) {
			return owners
		}
		return append(owners, agent.Keeper(namespace))
	})
}

func (k keptObject) isKeeper(ref metav1.OwnerReference) bool {
	return agent.IsKeeper(k.ref.Namespace, ref)
}

// releaseKept removes the temporary owners that an interrupted removal of the placement has left, because this apply keeps the placement. An agent applies an
// object with a temporary owner only if allow_co_ownership is set.
func (e *Engine) releaseKept(ctx context.Context, found *predict.Prediction) error {
	for _, c := range found.Clusters {
		for _, o := range c.Kept() {
			member, err := e.clusters.Member(c.Name)
			if err == nil {
				err = keptObject{member: member, object: o.Identifier, ref: kube.RefOf(o.Live)}.removeTemporaryOwner(ctx)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (k keptObject) removeTemporaryOwner(ctx context.Context) error {
	return k.change(ctx, "", func(owners []metav1.OwnerReference) []metav1.OwnerReference {
		return slices.DeleteFunc(owners, k.isKeeper)
	})
}

// temporaryOwnerTimeout is the timeout for removing temporary owners at the end of a removal. It applies even if the removal itself has timed out.
const temporaryOwnerTimeout = 30 * time.Second

// removeTemporaryOwners removes the temporary owners. deleted reports that the placement is or may be deleted. In that case, removeTemporaryOwners skips two
// groups of objects: those that another placement takes over, and those that an AppliedWork still owns. It returns an error if the second group is not empty,
// or if an owner cannot be removed.
func (e *Engine) removeTemporaryOwners(ctx context.Context, kept []keptObject, deleted bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), temporaryOwnerTimeout)
	defer cancel()
	var (
		problems []error
		waiting  []string
	)
	for _, k := range kept {
		if k.handed && deleted {
			continue
		}
		err := k.change(ctx, "", func(owners []metav1.OwnerReference) []metav1.OwnerReference {
			if deleted && agent.IsHeld(owners) {
				waiting = append(waiting, fmt.Sprintf("%s on %q", k.ref, k.member.Name()))
				return owners
			}
			return slices.DeleteFunc(owners, k.isKeeper)
		})
		if err != nil {
			problems = append(problems, fmt.Errorf("%s on %q was kept, but its temporary owner reference to a Namespace could not be removed. You can remove this reference "+
				"manually: %w", k.ref, k.member.Name(), err))
		}
	}
	if n := len(waiting); n > 0 {
		problems = append(problems, fmt.Errorf("%d object(s) remain with an owner reference to their Namespace, such as %s. Another destroy removes the reference. "+
			"Once the agent has released the objects, you can also remove it manually", n, waiting[0]))
	}
	return errors.Join(problems...)
}

// change reads the object, passes its owner references to edit, and writes the result. removed is the placement for which the object keeps a temporary owner,
// or "" if it keeps none. change does not write if the number of owner references remains the same. A missing object is not an error.
func (k keptObject) change(ctx context.Context, removed string, edit func([]metav1.OwnerReference) []metav1.OwnerReference) error {
	handedBy, keptBy := "", removed
	if k.handed {
		handedBy, keptBy = removed, ""
	}
	return repeatConflicting(k.member, k.object, func() error {
		live, err := k.member.Get(ctx, k.ref.GVK, k.ref.Namespace, k.ref.Name)
		if kube.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		before := live.GetOwnerReferences()
		owners := edit(slices.Clone(before))
		if len(owners) == len(before) {
			return nil
		}
		return reown(ctx, k.member, live, owners, handedBy, keptBy, kube.WriteOptions{})
	})
}

// repeatConflicting repeats write while it conflicts with changes of the object by other clients. It returns an [*engine.ChangingObjectError] if the last
// attempt conflicts as well.
func repeatConflicting(member *kube.Cluster, object manifest.Identifier, write func() error) error {
	_, err := controlplane.RepeatConflicts(func(int) (struct{}, error) { return struct{}{}, write() })
	if changing, is := errors.AsType[*controlplane.ChangingError](err); is {
		return &engine.ChangingObjectError{Cluster: member.Name(), Object: object, Attempts: changing.Attempts, Reason: changing.Err.Error()}
	}
	return err
}

// reown writes the owner references of an object. It returns a conflict if the object has changed since it was read. It sets the annotations
// [agent.HandedByAnnotation] and [agent.KeptByAnnotation] to handedBy and keptBy, or removes those whose value is "".
func reown(
	ctx context.Context, member *kube.Cluster, live *unstructured.Unstructured, owners []metav1.OwnerReference, handedBy, keptBy string, options kube.WriteOptions,
) error {
	metadata, annotations := map[string]any{"resourceVersion": live.GetResourceVersion(), "ownerReferences": owners}, map[string]any{}
	for name, value := range map[string]string{agent.HandedByAnnotation: handedBy, agent.KeptByAnnotation: keptBy} {
		switch {
		case value != "":
			annotations[name] = value
		case live.GetAnnotations()[name] != "":
			annotations[name] = nil
		}
	}
	if len(annotations) > 0 {
		metadata["annotations"] = annotations
	}
	patch, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return err
	}
	_, err = member.Patch(ctx, kube.RefOf(live), types.MergePatchType, patch, options)
	return err
}
