package kubefleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/agent"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// keptObject is an object that stays on a member when its placement goes.
type keptObject struct {
	member *kube.Cluster
	ref    kube.Ref
	// owner is what it is given as an owner meanwhile.
	owner metav1.OwnerReference
}

// keep has the objects of a placement that is about to be deleted stay, if they are to be abandoned. No agent acts upon that, but an agent, and the
// garbage collector after it, lets go of what somebody else owns too: each object is given its Namespace as a second owner, which goes no earlier
// than the object. Nothing is deleted unless all of them can be kept. Of a placement that is deleted already, it finds what was kept then.
func (e *Engine) keep(ctx context.Context, p engine.Placement) ([]keptObject, error) {
	if p.Spec.Defaulted().Strategy.DeleteStrategy.PropagationPolicy != placement.AbandonObjects {
		return nil, nil
	}
	found, err := predict.Removal(ctx, e.clusters, p, engine.DeleteOptions{})
	if err != nil {
		return nil, err
	}
	var (
		mu    sync.Mutex
		out   []keptObject
		names []string
	)
	for _, c := range found.Clusters {
		if c.Err != nil && found.Abandons() {
			return nil, unkept(found, c.Name, c.Err)
		}
		if c.Err == nil && len(c.Leftovers) > 0 {
			names = append(names, c.Name)
		}
	}
	err = e.clusters.Each(ctx, names, func(ctx context.Context, name string) error {
		kept, err := e.keepOn(ctx, found.Cluster(name))
		mu.Lock()
		defer mu.Unlock()
		out = append(out, kept...)
		if err != nil {
			return unkept(found, name, err)
		}
		return nil
	})
	if err == nil {
		return out, nil
	}
	needed := held // the agents delete what has no second owner: the placement is going, whatever has failed here
	if found.Abandons() {
		needed = unneeded
	}
	return nil, errors.Join(err, e.letGo(ctx, out, needed))
}

func unkept(found *predict.Prediction, name string, err error) error {
	if !found.Abandons() {
		return fmt.Errorf("the placement is deleted on the hub already, and the objects on %q, which stay, could not be looked at. Destroy again: %w", name, err)
	}
	return fmt.Errorf("nothing was deleted, because delete_strategy.propagation_policy is \"Abandon\" and the objects on %q cannot be kept: %w", name, err)
}

// keepOn keeps the objects on one member.
func (e *Engine) keepOn(ctx context.Context, c *predict.Cluster) (out []keptObject, err error) {
	member, err := e.clusters.Member(c.Name)
	if err != nil {
		return nil, err
	}
	for _, o := range c.Leftovers {
		if o.Action == takeover.ActionUnknown {
			return out, o.Unseen
		}
		if o.Action != takeover.ActionOrphan {
			continue
		}
		owner, err := keeper(ctx, member, o.Namespace)
		if err != nil {
			return out, err
		}
		kept := keptObject{member: member, ref: kube.RefOf(o.Live), owner: owner}
		there := slices.ContainsFunc(o.Live.GetOwnerReferences(), kept.is)
		if there || o.Obstacle == takeover.ObstacleAbandoned {
			out = append(out, kept)
		}
		if there || o.Obstacle != takeover.ObstacleAbandoned {
			continue
		}
		if err := kept.reown(ctx, func(owners []metav1.OwnerReference) []metav1.OwnerReference { return append(owners, owner) }); err != nil {
			return out, err
		}
	}
	return out, nil
}

// is tells whether a reference is the one to the second owner, and not one that somebody else has written.
func (k keptObject) is(ref metav1.OwnerReference) bool {
	return ref.UID == k.owner.UID && ref.BlockOwnerDeletion != nil && !*ref.BlockOwnerDeletion
}

// keeper is the owner that an object is given: its Namespace, or one that is on every cluster. It is told from an owner that the object had before
// by saying that it blocks nothing, which others leave out.
func keeper(ctx context.Context, member *kube.Cluster, namespace string) (metav1.OwnerReference, error) {
	live, err := member.Get(ctx, schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, "", cmp.Or(namespace, metav1.NamespaceSystem))
	if err != nil {
		return metav1.OwnerReference{}, err
	}
	return metav1.OwnerReference{APIVersion: "v1", Kind: "Namespace", Name: live.GetName(), UID: live.GetUID(), BlockOwnerDeletion: new(false)}, nil
}

// letGoTimeout bounds the end of a removal, which has a time of its own: the removal may have none left.
const letGoTimeout = 30 * time.Second

// held tells whether an agent still holds an object, which would go without a second owner. It is found again when the placement is destroyed again.
func held(owners []metav1.OwnerReference) bool {
	return slices.ContainsFunc(owners, func(ref metav1.OwnerReference) bool { return ref.Kind == agent.AppliedWork })
}

// unneeded is for objects that no agent is about to delete: their placement stays.
func unneeded([]metav1.OwnerReference) bool { return false }

// letGo takes the second owners away again, but from what needs them.
func (e *Engine) letGo(ctx context.Context, kept []keptObject, needed func(owners []metav1.OwnerReference) bool) error {
	if len(kept) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), letGoTimeout)
	defer cancel()
	var (
		problems []error
		waiting  []string
	)
	for _, k := range kept {
		err := k.reown(ctx, func(owners []metav1.OwnerReference) []metav1.OwnerReference {
			if needed(owners) {
				waiting = append(waiting, fmt.Sprintf("%s on %q", k.ref, k.member.Name()))
				return owners
			}
			return slices.DeleteFunc(owners, k.is)
		})
		if err != nil {
			problems = append(problems, fmt.Errorf("%s on %q was kept, and still names the Namespace %s as an owner, which can be taken out: %w",
				k.ref, k.member.Name(), k.owner.Name, err))
		}
	}
	if n := len(waiting); n > 0 {
		problems = append(problems, fmt.Errorf("%d object(s) stay because they name their Namespace as an owner, such as %s. Destroying again takes that away; once "+
			"the agent has let go of them nothing but that owner is left, which can be taken out by hand", n, waiting[0]))
	}
	return errors.Join(problems...)
}

// reown changes the owners of an object, as they are when it is written.
func (k keptObject) reown(ctx context.Context, change func([]metav1.OwnerReference) []metav1.OwnerReference) error {
	for {
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
		patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"resourceVersion": live.GetResourceVersion(), "ownerReferences": owners}})
		if err != nil {
			return err
		}
		if _, err := k.member.Patch(ctx, k.ref, types.MergePatchType, patch, kube.WriteOptions{}); !kube.IsConflict(err) {
			return err
		}
	}
}
