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

// keptObject is an object that stays on a member when its placement is deleted.
type keptObject struct {
	member *kube.Cluster
	object manifest.Identifier
	ref    kube.Ref
	// handed reports that the object keeps its second owner until another placement takes it over.
	handed bool
}

// keep keeps objects of a placement that is about to be deleted: all of them with propagation policy Abandon, and those that another placement is going to
// take over. Agents support neither. But neither an agent nor the garbage collector deletes an object that has another owner, so keep gives each object its
// Namespace as a second owner. Nothing is deleted unless all of these objects can be kept. If the placement is already deleted, keep finds the objects that
// were kept earlier.
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

// keepOn keeps the objects on one member.
func (e *Engine) keepOn(ctx context.Context, found *predict.Prediction, c *predict.Cluster) (out []keptObject, err error) {
	member, err := e.clusters.Member(c.Name)
	if err != nil {
		return nil, err
	}
	giver := found.Placement.Reference.String()
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
		case there && o.Action == takeover.ActionPrune: // an earlier removal was to hand it over
			err = kept.removeTemporaryOwner(ctx)
		case there && (o.Action == takeover.ActionOrphan || kept.handed):
			kept.handed = kept.handed || agent.HandedBy(o.Live) != ""
			out = append(out, kept)
		case kept.handed:
			out = append(out, kept)
			err = kept.addTemporaryOwner(ctx, o, giver)
		case o.Obstacle == takeover.ObstacleAbandoned:
			out = append(out, kept)
			err = kept.addTemporaryOwner(ctx, o, "")
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// addTemporaryOwner gives the object its second owner, unless it has left the placement since it was read. handedBy names the placement if another one takes
// the object over.
func (k keptObject) addTemporaryOwner(ctx context.Context, o *memberpreview.Object, handedBy string) error {
	namespace, err := k.member.Get(ctx, schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, "", agent.KeeperOf(o.Namespace))
	if err != nil {
		return err
	}
	before := o.Live.GetOwnerReferences()
	return k.change(ctx, handedBy, func(owners []metav1.OwnerReference) []metav1.OwnerReference {
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

// releaseKept removes the second owners that an interrupted removal of the placement left, now that the placement stays. It skips objects of a Work that the
// removal deletes, because its agent would delete them. A later apply removes those owners, once the agent has released the object.
func (e *Engine) releaseKept(ctx context.Context, found *predict.Prediction) error {
	for _, c := range found.Clusters {
		for _, o := range slices.Concat(c.Items, c.Leftovers) {
			if o.Live == nil || agent.HandedBy(o.Live) != found.Placement.Reference.String() || !o.Owned && isHeld(o.Live.GetOwnerReferences()) {
				continue
			}
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

// removeTemporaryOwner removes the second owner.
func (k keptObject) removeTemporaryOwner(ctx context.Context) error {
	return k.change(ctx, "", func(owners []metav1.OwnerReference) []metav1.OwnerReference {
		return slices.DeleteFunc(owners, k.isKeeper)
	})
}

// temporaryOwnerTimeout bounds the last step of a removal. It does not depend on the context of the removal, which may have timed out.
const temporaryOwnerTimeout = 30 * time.Second

// isHeld reports whether an AppliedWork still owns the object, so that the object would be deleted without its second owner. Destroying the placement again
// finds the object again.
func isHeld(owners []metav1.OwnerReference) bool {
	return slices.ContainsFunc(owners, func(ref metav1.OwnerReference) bool { return ref.Kind == agent.AppliedWork })
}

// removeTemporaryOwners removes the second owners. If the placement is being deleted, it skips objects that an agent still owns, and objects that another
// placement takes over.
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
			if deleted && isHeld(owners) {
				waiting = append(waiting, fmt.Sprintf("%s on %q", k.ref, k.member.Name()))
				return owners
			}
			return slices.DeleteFunc(owners, k.isKeeper)
		})
		if err != nil {
			problems = append(problems, fmt.Errorf("%s on %q was kept, and still has an owner reference to a Namespace, which you can remove: "+
				"%w", k.ref, k.member.Name(), err))
		}
	}
	if n := len(waiting); n > 0 {
		problems = append(problems, fmt.Errorf("%d object(s) remain with an owner reference to their Namespace, such as %s. Another destroy removes the reference. "+
			"Once the agent has released the objects, you can also remove it manually", n, waiting[0]))
	}
	return errors.Join(problems...)
}

// change changes the owners of an object as they are when it is written.
func (k keptObject) change(ctx context.Context, handedBy string, change func([]metav1.OwnerReference) []metav1.OwnerReference) error {
	return repeatConflicting(k.member, k.object, func() error {
		live, err := k.member.Get(ctx, k.ref.GVK, k.ref.Namespace, k.ref.Name)
		if kube.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		before := live.GetOwnerReferences()
		owners := change(slices.Clone(before))
		if len(owners) == len(before) {
			return nil
		}
		return reown(ctx, k.member, live, owners, handedBy, kube.WriteOptions{})
	})
}

// repeatConflicting repeats a write of the owners of an object while others change the object. It returns an [*engine.ChangingObjectError] if the last
// attempt conflicts as well.
func repeatConflicting(member *kube.Cluster, object manifest.Identifier, write func() error) error {
	_, err := controlplane.RepeatConflicts(func(int) (struct{}, error) { return struct{}{}, write() })
	if changing, is := errors.AsType[*controlplane.ChangingError](err); is {
		return &engine.ChangingObjectError{Cluster: member.Name(), Object: object, Attempts: changing.Attempts, Reason: changing.Err.Error()}
	}
	return err
}

// reown writes the owners of an object that has not changed since it was read, and an annotation with the placement that hands it over, if any.
func reown(
	ctx context.Context, member *kube.Cluster, live *unstructured.Unstructured, owners []metav1.OwnerReference, handedBy string, options kube.WriteOptions,
) error {
	metadata := map[string]any{"resourceVersion": live.GetResourceVersion(), "ownerReferences": owners}
	switch {
	case handedBy != "":
		metadata["annotations"] = map[string]any{agent.HandedByAnnotation: handedBy}
	case agent.HandedBy(live) != "":
		metadata["annotations"] = map[string]any{agent.HandedByAnnotation: nil}
	}
	patch, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return err
	}
	_, err = member.Patch(ctx, kube.RefOf(live), types.MergePatchType, patch, options)
	return err
}
