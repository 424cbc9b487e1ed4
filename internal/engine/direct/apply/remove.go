package apply

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/plan"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberapply"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

func (c *cluster) prune(ctx context.Context, prunable []*plan.Item) {
	items := map[*memberpreview.Object]*plan.Item{}
	for _, i := range prunable {
		items[&i.Object] = i
	}
	c.Remove(plan.ObjectsOf(prunable), func(o *memberpreview.Object) {
		err := c.removeObject(ctx, items[o])
		if err == nil || kube.IsNotFound(err) {
			c.Record(o, memberapply.Outcome{Gone: o.Action != takeover.ActionDefer && o.Action != takeover.ActionHandOver})
			return
		}
		if kube.IsUnreachable(err) {
			c.MarkUnreachable(err)
		}
		c.Fail(o, placement.Applied, takeover.ReasonManifestApplyFailed, "Failed to remove an object that is no longer selected (error: "+err.Error()+")")
	})
}

func (c *cluster) removeObject(ctx context.Context, i *plan.Item) error {
	if i.Action == takeover.ActionNone || i.Action == takeover.ActionDefer || i.Action == takeover.ActionHandOver {
		return nil
	}
	if err := c.Unreachable(); err != nil {
		return err
	}
	if i.Action == takeover.ActionPrune {
		err := c.Prune(ctx, &i.Object, func(ctx context.Context, changed bool) error { return c.ConfirmPrune(ctx, i, changed) })
		if err != nil || i.Action == takeover.ActionPrune {
			return err
		}
	}
	switch i.Action {
	case takeover.ActionOrphan:
		return c.orphan(ctx, &i.Object)
	case takeover.ActionNone, takeover.ActionDefer, takeover.ActionHandOver:
		return nil
	case takeover.ActionUnknown, takeover.ActionPrune, takeover.ActionCreate, takeover.ActionUpdate, takeover.ActionReplace, takeover.ActionTakeOver,
		takeover.ActionTakeOverFrom, takeover.ActionLeaveAlone, takeover.ActionLeaveDrifted, takeover.ActionReject, takeover.ActionReport:
		// except for ActionUnknown and ActionPrune, prunable objects do not have these actions
	}
	return i.Unseen
}

// maxOrphanAttempts limits the attempts to remove the marks from an object that others keep changing.
const maxOrphanAttempts = 20

// orphan removes the placement's label and last-applied annotation from an object, which remains on the cluster. If another placement has taken the object over
// since it was read, the label and the annotation belong to that placement, and orphan leaves them unchanged.
func (c *cluster) orphan(ctx context.Context, o *memberpreview.Object) error {
	live, own := o.Live, record.ApplySetID(c.plan.Placement.Name)
	for attempt := 1; ; attempt++ {
		var labels []string
		switch set := applyset.PartOf(live); {
		case set == own:
			labels = []string{applyset.PartOfLabel}
		case set != "" && set != applyset.PartOf(o.Live):
			return nil
		}
		err := c.Client.RemoveMetadataUnchanged(ctx, live, labels, []string{kube.DefaultLastAppliedAnnotation})
		if !kube.IsOutdated(err) || attempt == maxOrphanAttempts {
			return err
		}
		if live, err = c.Client.Get(ctx, o.Live.GroupVersionKind(), o.Live.GetNamespace(), o.Live.GetName()); err != nil {
			return err
		}
		if live.GetUID() != o.Live.GetUID() {
			return nil
		}
	}
}

var errWritten = errors.New("it has changed since it was read")

// removeRecord removes the records of a placement that has no objects left on the cluster. It returns an error if another operation has written the inventory
// in the meantime, because the inventory may list objects again.
func (c *cluster) removeRecord(ctx context.Context) error {
	if c.Inventory == nil {
		return nil
	}
	name := c.plan.Placement.Name
	now, err := c.Client.Get(ctx, record.ConfigMapKind, record.Namespace, record.InventoryName(name))
	switch {
	case kube.IsNotFound(err):
	case err != nil:
		return err
	default:
		if mark := record.LeaseOf(now); mark == nil || mark.ID != c.mark.ID {
			return c.busyWith(now, errWritten)
		}
	}
	if c.Inventory.HasManifests {
		if err := c.removeManifests(ctx); err != nil {
			return err
		}
	}
	if err := record.Remove(ctx, c.Client, c.Inventory.Live); err != nil {
		return err
	}
	c.Inventory = nil
	return nil
}

func (c *cluster) removeManifests(ctx context.Context) error {
	return c.removeManifestsOf(ctx, c.plan.Placement.Name)
}

func (c *cluster) removeManifestsOf(ctx context.Context, name string) error {
	secret, err := c.Client.Get(ctx, record.SecretKind, record.Namespace, record.InventoryName(name))
	if err == nil && record.IsInventory(secret) {
		err = record.Remove(ctx, c.Client, secret)
	}
	if kube.IsNotFound(err) {
		return nil
	}
	return err
}

// removeUnchanged deletes a record. It returns a conflict if another client has changed the record since it was read, and nil if the record does not exist.
func (c *cluster) removeUnchanged(ctx context.Context, known *record.Inventory) error {
	ref, seen := kube.RefOf(known.Live), kube.Seen{UID: string(known.Live.GetUID()), ResourceVersion: known.Live.GetResourceVersion()}
	_, err := c.Client.RemoveUnchanged(ctx, ref, seen, metav1.DeletePropagationBackground)
	if kube.IsUnreachable(err) && ctx.Err() == nil { // the response or the request was lost
		_, err = c.Client.RemoveUnchanged(ctx, ref, seen, metav1.DeletePropagationBackground)
	}
	if kube.IsNotFound(err) {
		return nil
	}
	return err
}
