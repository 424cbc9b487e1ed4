package apply

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/plan"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// removeLeftovers deletes or releases what no longer belongs on the cluster, in the reverse order of the waves, and waits until what was
// deleted is gone: a namespace must not be there any more when its deletion counts as done.
func (c *cluster) removeLeftovers(ctx context.Context) {
	waves := map[int][]*plan.Item{}
	for _, i := range c.Leftovers {
		wave := rollout.Wave(i.Mapping.GVR.Group, i.Mapping.GVR.Resource)
		waves[wave] = append(waves[wave], i)
	}
	order := sortedKeys(waves)
	slices.Reverse(order)
	for _, wave := range order {
		inParallel(waves[wave], func(i *plan.Item) { c.removeItem(ctx, i) })
	}
}

func (c *cluster) removeItem(ctx context.Context, i *plan.Item) {
	if err := c.lost(); err != nil && i.Action != takeover.ActionNone {
		c.failRemoval(i, err)
		return
	}
	var err error
	switch i.Action { //nolint:exhaustive // nothing else is decided about what is left over
	case takeover.ActionOrphan:
		err = c.orphan(ctx, i)
	case takeover.ActionPrune:
		err = c.prune(ctx, i)
	case takeover.ActionUnknown:
		err = i.Unseen
	}
	if err != nil && !kube.IsNotFound(err) {
		if kube.IsUnreachable(err) {
			c.fall(err)
		}
		c.failRemoval(i, err)
		return
	}
	c.record(i, &outcome{gone: true})
}

// failRemoval records that an object is still there.
func (c *cluster) failRemoval(i *plan.Item, err error) {
	c.fail(i, placement.Applied, takeover.ReasonManifestApplyFailed, "Failed to remove an object that is no longer selected (error: "+err.Error()+")")
}

func (c *cluster) prune(ctx context.Context, i *plan.Item) error {
	ref := kube.RefOf(i.Live)
	err := c.Client.Delete(ctx, ref, i.Live.GetUID(), metav1.DeletePropagationBackground)
	if kube.IsConflict(err) {
		if live, getErr := c.Client.Get(ctx, ref.GVK, ref.Namespace, ref.Name); getErr == nil && live.GetUID() != i.Live.GetUID() {
			return nil // another object has the name by now
		}
	}
	if kube.IsUnreachable(err) && ctx.Err() == nil {
		// The answer got lost, or the request did.
		err = c.Client.Delete(ctx, ref, i.Live.GetUID(), metav1.DeletePropagationBackground)
	}
	if err != nil {
		return err
	}
	return c.Client.WaitGone(ctx, ref, i.Live.GetUID())
}

// orphan takes the placement's marks off an object and leaves the object.
func (c *cluster) orphan(ctx context.Context, i *plan.Item) error {
	metadata := map[string]any{"uid": string(i.Live.GetUID())}
	if record.PartOf(i.Live) == record.ApplySetID(c.Inventory.Name) {
		metadata["labels"] = map[string]any{record.PartOfLabel: nil}
	}
	if _, found := i.Live.GetAnnotations()[kube.DefaultLastAppliedAnnotation]; found {
		metadata["annotations"] = map[string]any{kube.DefaultLastAppliedAnnotation: nil}
	}
	if len(metadata) == 1 {
		return nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return err
	}
	_, err = c.Client.Patch(ctx, kube.RefOf(i.Live), types.MergePatchType, patch, kube.WriteOptions{})
	return err
}

var errWritten = errors.New("it is not as it was read")

// forget removes the records of a placement that has nothing left on the cluster. It does not if somebody else has written the inventory
// since: it may have objects again.
func (c *cluster) forget(ctx context.Context) error {
	if c.Inventory == nil {
		return nil
	}
	name := c.plan.Placement.Name
	now, err := c.Client.Get(ctx, record.ConfigMapKind, record.Namespace, record.InventoryName(name))
	switch {
	case kube.IsNotFound(err):
	case err != nil:
		return err
	case now.GetResourceVersion() != c.Inventory.Live.GetResourceVersion():
		return busy(c.Name, name, errWritten)
	}
	if c.Inventory.HasManifests {
		if err := c.forgetManifests(ctx); err != nil {
			return err
		}
	}
	if err := record.Remove(ctx, c.Client, c.Inventory.Live); err != nil {
		return err
	}
	c.Inventory = nil
	return nil
}

func (c *cluster) forgetManifests(ctx context.Context) error {
	secret, err := c.Client.Get(ctx, record.SecretKind, record.Namespace, record.InventoryName(c.plan.Placement.Name))
	if err == nil && secret.GetLabels()[record.KindLabel] == record.PlacementKind {
		err = record.Remove(ctx, c.Client, secret)
	}
	if kube.IsNotFound(err) {
		return nil
	}
	return err
}
