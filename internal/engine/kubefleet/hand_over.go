package kubefleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/agent"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// handOver moves objects from other placements (the givers) to the placement that takes them over (the taker). An object belongs to the AppliedWork in its
// owner reference (KubeFleet, pkg/controllers/workapplier), and no agent takes over an object of another AppliedWork. The engine therefore replaces the
// reference itself, in one write for each object, as soon as the member has the AppliedWorks of the taker. The object is never without an owner, and keeps
// its UID.
type handOver struct {
	// gives reports whether an owner reference of an object belongs to a giver.
	gives func(cluster string, live *unstructured.Unstructured, ref metav1.OwnerReference) bool
	// left are the objects that are not moved yet, by cluster. See isLost for the lost objects.
	left        map[string][]predict.Given
	moved, lost movedObjects
	// checked is when findLost last read objects.
	checked time.Time
}

type movedObjects map[string]map[manifest.Key]predict.Given

func (m movedObjects) add(cluster string, object predict.Given) {
	if m[cluster] == nil {
		m[cluster] = map[manifest.Key]predict.Given{}
	}
	m[cluster][object.Key()] = object
}

func (m movedObjects) has(cluster string, object manifest.Key) bool {
	_, has := m[cluster][object]
	return has
}

func newHandOver(found *predict.Prediction) *handOver {
	return &handOver{gives: found.Gives, left: found.Given(), moved: movedObjects{}, lost: movedObjects{}}
}

// advance moves the objects on the clusters that the rollout has reached. moved reports whether it has moved an object, or has found that a moved object was
// recreated. A cluster with an error does not delay the others.
func (h *handOver) advance(ctx context.Context, e *Engine, f rolloutChange, now progress) (moved bool, err error) {
	if h == nil || !now.isObserved() {
		return false, nil
	}
	var errs []error
	for cluster := range h.left {
		if !now.areTrue(now.status.Clusters[cluster], placement.SyncedTypes()...) {
			continue
		}
		took, err := h.advanceOn(ctx, e, f, cluster)
		moved = moved || took
		errs = append(errs, err)
	}
	lost, err := h.findLost(ctx, e, now.status)
	return moved || lost, errors.Join(append(errs, err)...)
}

// advanceOn moves the objects on one cluster. It moves no object until the cluster has all AppliedWorks of the taker. It skips an object that no Work of the
// taker contains.
func (h *handOver) advanceOn(ctx context.Context, e *Engine, f rolloutChange, cluster string) (moved bool, err error) {
	owners, err := e.owners(ctx, cluster, f.placement.Reference)
	if err != nil || owners == nil {
		return false, err
	}
	member, err := e.clusters.Member(cluster)
	if err != nil {
		return false, err
	}
	for objects := h.left[cluster]; len(objects) > 0; objects = h.left[cluster] {
		if owner, placed := owners[objects[0].Key()]; placed {
			took, err := h.move(ctx, member, objects[0], owner)
			if err != nil {
				return moved, err
			}
			moved = moved || took
		}
		h.left[cluster] = objects[1:]
	}
	delete(h.left, cluster)
	return moved, nil
}

// owners returns, for each object of a placement on a member, the AppliedWork that must own it. It returns nil while an AppliedWork is missing. It skips a
// Work that is being deleted, because the objects of such a Work are deleted with it.
func (e *Engine) owners(ctx context.Context, cluster string, reference engine.Reference) (map[manifest.Key]metav1.OwnerReference, error) {
	member, err := e.clusters.Member(cluster)
	if err != nil {
		return nil, err
	}
	works, err := hub.Works(ctx, e.clusters.Hub, hub.MemberNamespacePrefix+cluster, hub.WorksOf(reference))
	if err != nil {
		return nil, err
	}
	applied := map[string]metav1.OwnerReference{}
	for _, work := range works {
		if work.DeletionTimestamp != nil {
			continue
		}
		live, err := member.Get(ctx, agent.AppliedWorkKind, "", work.Name)
		if kube.IsNotFound(err) || kube.IsUnknownKind(err) {
			return nil, nil
		}
		if err != nil {
			object := manifest.Identifier{Group: agent.AppliedWorkKind.Group, Version: agent.AppliedWorkKind.Version, Kind: agent.AppliedWork, Name: work.Name}
			return nil, denialOf(ctx, member, object, kube.Check{Verb: "get", GVR: agent.AppliedWorkKind.GroupVersion().WithResource("appliedworks")}, err)
		}
		applied[work.Name] = agent.Reference(wire.AppliedWork{ObjectMeta: metav1.ObjectMeta{Name: live.GetName(), UID: live.GetUID()}})
	}
	whole, err := hub.List[wire.Work](ctx, e.clusters.Hub, hub.Work, hub.MemberNamespacePrefix+cluster, hub.WorksOf(reference))
	if err != nil {
		return nil, err
	}
	out := map[manifest.Key]metav1.OwnerReference{}
	for _, work := range whole {
		if work.DeletionTimestamp != nil {
			continue
		}
		owner, found := applied[work.Name]
		objects, err := convert.Manifests(work)
		if err != nil || !found {
			return nil, err
		}
		for _, object := range objects {
			out[object.Key()] = owner
		}
	}
	return out, nil
}

// move replaces the owner reference to a giver with one to the taker. An object that was recreated since the prediction, is being deleted, or has no owner
// reference to a giver is lost: move does not write it. An object that does not exist is not lost: the agent creates it.
func (h *handOver) move(ctx context.Context, member *kube.Cluster, object predict.Given, owner metav1.OwnerReference) (moved bool, err error) {
	ref := kube.Ref{GVK: object.GroupVersionKind(), Namespace: object.Namespace, Name: object.Name}
	err = repeatConflicting(member, object.Identifier, func() error {
		live, err := member.Get(ctx, ref.GVK, ref.Namespace, ref.Name)
		if kube.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return denialOf(ctx, member, object.Identifier, kube.Check{Verb: "get", GVR: object.GVR, Namespace: object.Namespace}, err)
		}
		before := live.GetOwnerReferences()
		owners := slices.DeleteFunc(slices.Clone(before), func(ref metav1.OwnerReference) bool { return h.gives(member.Name(), live, ref) })
		if live.GetUID() != object.UID || live.GetDeletionTimestamp() != nil || len(owners) == len(before) {
			h.lost.add(member.Name(), object)
			return nil
		}
		if !slices.ContainsFunc(owners, func(ref metav1.OwnerReference) bool { return ref.UID == owner.UID }) {
			owners = append(owners, owner)
		}
		// Write with the field manager of the agent, because the agent forces an apply only if no other manager has written.
		if err = reown(ctx, member, live, owners, "", agent.KeptBy(live), kube.WriteOptions{FieldManager: agent.FieldManager}); err != nil {
			return denialOf(ctx, member, object.Identifier, kube.Check{Verb: "patch", GVR: object.GVR, Namespace: object.Namespace}, err)
		}
		h.moved.add(member.Name(), object)
		moved = true
		return nil
	})
	return moved, err
}

// denialOf returns an [*engine.HandOverDeniedError] if err is the denial of a request by the API server of a member. It returns any other error unchanged.
// right is the right that the request needs. If a check shows that the credentials have this right, the returned error does not name it.
func denialOf(ctx context.Context, member *kube.Cluster, object manifest.Identifier, right kube.Check, err error) error {
	if !kube.IsForbidden(err) {
		return err
	}
	out := &engine.HandOverDeniedError{Cluster: member.Name(), Object: object, Reason: err.Error()}
	if allowed, askErr := member.Confirm(ctx, right); askErr != nil || !allowed {
		out.Verb, out.Resource, out.Namespace = right.Verb, right.GVR.GroupResource().String(), right.Namespace
	}
	return out
}

// isOutdated reports whether failed is a failure of a moved object from before the move: its reason is that the object was not taken over.
func (h *handOver) isOutdated(cluster string, failed placement.FailedPlacement) bool {
	if h == nil || !h.moved.has(cluster, failed.Key()) {
		return false
	}
	return failed.Condition.Reason == takeover.ReasonNotTakenOver || failed.Condition.Reason == takeover.ReasonFailedToTakeOver
}

func (h *handOver) awaits(status placement.Status) bool { return len(h.awaited(status)) > 0 }

// awaited returns the moved objects, by cluster, whose failure in the status was reported before the move.
func (h *handOver) awaited(status placement.Status) map[string][]predict.Given {
	out := map[string][]predict.Given{}
	for name, cluster := range status.Clusters {
		for _, failed := range cluster.FailedPlacements {
			if h.isOutdated(name, failed) {
				out[name] = append(out[name], h.moved[name][failed.Key()])
			}
		}
	}
	return out
}

// findLost reads the awaited objects again, at most once in e.pace.Retry. It reports whether any of them was recreated: the agent does not take over such an
// object. A deleted object remains awaited, because the agent creates it.
func (h *handOver) findLost(ctx context.Context, e *Engine, status placement.Status) (found bool, err error) {
	if time.Since(h.checked) < e.pace.Retry {
		return false, nil
	}
	h.checked = time.Now()
	var errs []error
	for cluster, objects := range h.awaited(status) {
		lost, err := h.findLostOn(ctx, e, cluster, objects)
		found = found || lost
		errs = append(errs, err)
	}
	return found, errors.Join(errs...)
}

func (h *handOver) findLostOn(ctx context.Context, e *Engine, cluster string, objects []predict.Given) (found bool, err error) {
	member, err := e.clusters.Member(cluster)
	if err != nil {
		return false, err
	}
	for _, object := range objects {
		live, err := member.Get(ctx, object.GroupVersionKind(), object.Namespace, object.Name)
		if kube.IsNotFound(err) {
			continue
		}
		if err != nil {
			return found, err
		}
		if live.GetUID() != object.UID {
			delete(h.moved[cluster], object.Key())
			h.lost.add(cluster, object)
			found = true
		}
	}
	return found, nil
}

// isLost reports whether an object cannot be handed over, because it was recreated, is being deleted or has lost the owner reference to its giver.
func (h *handOver) isLost(cluster string, object manifest.Key) bool {
	return h != nil && h.lost.has(cluster, object)
}

// removeLeftOwners removes the owner references and annotations that other placements left on objects of the placement. It does not write an object that has
// lost the owner reference of the placement since the prediction. If the API server denies the removal of a reference to an AppliedWork without a Work,
// removeLeftOwners returns a warning instead of an error, because the agent still applies the other objects.
func (e *Engine) removeLeftOwners(ctx context.Context, found *predict.Prediction) (warnings []string, err error) {
	for _, left := range found.LeftOwners() {
		member, err := e.clusters.Member(left.Cluster)
		if err == nil {
			err = removeLeftOwner(ctx, member, found.Cluster(left.Cluster), left)
		}
		if _, denied := errors.AsType[*engine.HandOverDeniedError](err); denied && left.WithoutWork != "" {
			warnings = append(warnings, fmt.Sprintf("the member agent does not apply %s on cluster %q until the owner reference to the AppliedWork %q is removed. The Work of "+
				"this AppliedWork is no longer on the hub, and the provider could not remove the reference: %v", left.Identifier, left.Cluster, left.WithoutWork, err))
			continue
		}
		if err != nil {
			return nil, err
		}
	}
	return warnings, nil
}

func removeLeftOwner(ctx context.Context, member *kube.Cluster, c *predict.Cluster, left predict.LeftOwner) error {
	ref := kube.Ref{GVK: left.GroupVersionKind(), Namespace: left.Namespace, Name: left.Name}
	return repeatConflicting(member, left.Identifier, func() error {
		live, err := member.Get(ctx, ref.GVK, ref.Namespace, ref.Name)
		if kube.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		owners, handedBy, has := c.WithoutLeft(live)
		if !has {
			return nil
		}
		err = reown(ctx, member, live, owners, handedBy, agent.KeptBy(live), kube.WriteOptions{FieldManager: agent.FieldManager})
		return denialOf(ctx, member, left.Identifier, kube.Check{Verb: "patch", GVR: left.GVR, Namespace: left.Namespace}, err)
	})
}

// pendingHandOver returns an [*engine.PendingHandOverError] if other placements have not yet taken over all objects that this placement hands over.
func pendingHandOver(found *predict.Prediction) error {
	if pending := found.Pending(); len(pending) > 0 {
		return &engine.PendingHandOverError{Giver: found.Placement.Reference.String(), Objects: pending}
	}
	return nil
}
