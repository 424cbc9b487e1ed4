package direct

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// removeLeftovers deletes or releases what no longer belongs on the cluster, in the reverse order of the waves, and waits until what was
// deleted is gone: a namespace must not be there any more when its deletion counts as done.
func (c *clusterRun) removeLeftovers(ctx context.Context) {
	waves := map[int][]*item{}
	for _, i := range c.leftovers {
		wave := rollout.Wave(i.mapping.GVR.Group, i.mapping.GVR.Resource)
		waves[wave] = append(waves[wave], i)
	}
	order := sortedKeys(waves)
	slices.Reverse(order)
	for _, wave := range order {
		inParallel(waves[wave], func(i *item) { c.removeItem(ctx, i) })
	}
}

func (c *clusterRun) removeItem(ctx context.Context, i *item) {
	if err := c.lost(); err != nil && i.Action != engine.ActionNone {
		c.fail(i, reasonManifestApplyFailed, removalFailure(err))
		return
	}
	var err error
	switch i.Action {
	case engine.ActionRelease:
		err = c.release(ctx, i)
	case engine.ActionDelete:
		err = c.delete(ctx, i)
	case engine.ActionUnknown:
		err = i.unseen
	}
	if err != nil && !kube.IsNotFound(err) {
		if kube.IsUnreachable(err) {
			c.fall(err)
		}
		c.fail(i, reasonManifestApplyFailed, removalFailure(err))
		return
	}
	c.record(i, &outcome{gone: true})
}

func removalFailure(err error) string {
	return "Failed to remove an object that is no longer selected (error: " + err.Error() + ")"
}

func (c *clusterRun) delete(ctx context.Context, i *item) error {
	ref := kube.RefOf(i.live)
	err := c.cluster.Delete(ctx, ref, i.live.GetUID(), metav1.DeletePropagationBackground)
	if kube.IsConflict(err) {
		if live, getErr := c.cluster.Get(ctx, ref.GVK, ref.Namespace, ref.Name); getErr == nil && live.GetUID() != i.live.GetUID() {
			return nil // another object has the name by now
		}
	}
	if kube.IsUnreachable(err) && ctx.Err() == nil {
		// The answer got lost, or the request did.
		err = c.cluster.Delete(ctx, ref, i.live.GetUID(), metav1.DeletePropagationBackground)
	}
	if err != nil {
		return err
	}
	return c.cluster.WaitGone(ctx, ref, i.live.GetUID())
}

// release takes the placement's marks off an object and leaves the object.
func (c *clusterRun) release(ctx context.Context, i *item) error {
	metadata := map[string]any{"uid": string(i.live.GetUID())}
	if partOf(i.live) == applySetID(c.inventory.Name) {
		metadata["labels"] = map[string]any{applySetPartOfLabel: nil}
	}
	if _, found := i.live.GetAnnotations()[kube.DefaultLastAppliedAnnotation]; found {
		metadata["annotations"] = map[string]any{kube.DefaultLastAppliedAnnotation: nil}
	}
	if len(metadata) == 1 {
		return nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return err
	}
	_, err = c.cluster.Patch(ctx, kube.RefOf(i.live), types.MergePatchType, patch, kube.WriteOptions{})
	return err
}

var errWritten = errors.New("it is not as it was read")

// forget removes the records of a placement that has nothing left on the cluster. It does not if somebody else has written the inventory
// since: it may have objects again.
func (c *clusterPlan) forget(ctx context.Context, placementName string) error {
	if c.inventory == nil {
		return nil
	}
	now, err := c.cluster.Get(ctx, configMapKind, Namespace, inventoryName(placementName))
	switch {
	case kube.IsNotFound(err):
	case err != nil:
		return err
	case now.GetResourceVersion() != c.inventory.live.GetResourceVersion():
		return busy(c.name, placementName, errWritten)
	}
	if c.inventory.HasManifests {
		if err := c.forgetManifests(ctx, placementName); err != nil {
			return err
		}
	}
	if err := remove(ctx, c.cluster, c.inventory.live); err != nil {
		return err
	}
	c.inventory = nil
	return nil
}

func (c *clusterPlan) forgetManifests(ctx context.Context, placementName string) error {
	secret, err := c.cluster.Get(ctx, secretKind, Namespace, inventoryName(placementName))
	if err == nil && secret.GetLabels()[recordKindLabel] == placementRecordKind {
		err = remove(ctx, c.cluster, secret)
	}
	if kube.IsNotFound(err) {
		return nil
	}
	return err
}

// remove deletes the very object that was read; one that is gone is no error.
func remove(ctx context.Context, cluster *kube.Cluster, u *unstructured.Unstructured) error {
	err := cluster.Delete(ctx, kube.RefOf(u), u.GetUID(), metav1.DeletePropagationBackground)
	if kube.IsNotFound(err) {
		return nil
	}
	return err
}
