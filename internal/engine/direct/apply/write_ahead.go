package apply

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// writeAhead writes the inventories of the first clusters of the apply before any object on them, so that every object is recorded before it exists.
//
// It skips a cluster that does not respond or rejects the inventory, and continues with the others. If no cluster accepts its inventory and at least one
// cluster rejects it, writeAhead returns an error. If another client has changed an inventory, it returns an error, because two applies of one placement must
// not run concurrently. If it returns an error, no object was written, and the inventories are restored on all clusters that respond.
func (r *run) writeAhead(ctx context.Context, names []string) error {
	slices.Sort(names)
	var err error
	// Of two applies that start at the same time, the one that writes the first cluster proceeds.
	for _, batch := range [][]string{names[:min(1, len(names))], names[min(1, len(names)):]} {
		if err == nil {
			err = r.set.Each(ctx, batch, func(ctx context.Context, name string) error { return r.clusters[name].writeAhead(ctx) })
		}
	}
	if err == nil {
		err = clusterset.Ended(ctx)
	}
	if err == nil && !r.canProceed() {
		return r.blocked()
	}
	if err != nil {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closingTime)
		defer cancel()
		r.rollBack(closing)
	}
	return err
}

// canProceed reports whether at least one inventory was written, or no cluster is blocked. Unreachable clusters do not count.
func (r *run) canProceed() bool {
	hasBlocked := false
	for _, c := range r.clusters {
		if c.writtenAhead {
			return true
		}
		hasBlocked = hasBlocked || c.blocked != nil
	}
	return !hasBlocked
}

func (c *cluster) writeAhead(ctx context.Context) error {
	if !c.Touched() || c.blocked != nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.before = c.Inventory
	for _, i := range c.Items {
		if entry := c.EntryAhead(i); entry != nil {
			c.entries[i] = entry
		}
	}
	next := c.WriteAhead(c.mark.At(time.Now()))
	err := c.writeInventory(ctx, next)
	if kube.IsConflict(err) || kube.IsAlreadyExists(err) || kube.IsNotFound(err) && cmp.Or(c.before, c.Former) != nil {
		return c.explainConflict(ctx, err)
	}
	if err == nil {
		c.writtenAhead = true
		c.Announced(next)
		c.setMarked()
		err = c.storeManifests(ctx, false)
	}
	switch {
	case err == nil:
		return nil
	case clusterset.IsUnavailable(err):
		c.MarkUnreachable(clusterset.Unreachable(c.Name, err))
		return nil
	case ctx.Err() != nil:
		return err
	default:
		c.blocked = fmt.Errorf("nothing was written to cluster %q, because the record of the placement could not be written there: %w", c.Name, err)
		_ = c.rollBack(ctx)
		return nil
	}
}

// explainConflict returns the error for a record that has changed since the plan. If another client's object has the name of the record, it sets blocked and
// returns nil.
func (c *cluster) explainConflict(ctx context.Context, cause error) error {
	live, err := c.Client.Get(ctx, record.ConfigMapKind, record.Namespace, c.recordName())
	if err == nil && !record.IsInventory(live) {
		c.blocked = fmt.Errorf("nothing was written to cluster %q: %w", c.Name, c.nameConflict(live))
		return nil
	}
	return c.busyWith(live, cause)
}

func (c *cluster) nameConflict(live *unstructured.Unstructured) error {
	kind := live.GetKind()
	return fmt.Errorf("cluster %q has a %s %s/%s that is not a record of this provider (it has no label %s=%s), and the record of the placement %q "+
		"needs this name. Remove that %s, or choose another name for the placement",
		c.Name, kind, live.GetNamespace(), live.GetName(), record.KindLabel, record.PlacementKind, c.plan.Placement.Name, kind)
}

// storeManifests writes the Secret with the placement's manifests, if there are manifests. It omits the write if the inventory before the apply has the same
// manifests. It does not rely on this inventory if the apply that wrote it was killed (the inventory then has a lease), or if another client has deleted or
// replaced the Secret (checked only for write-only manifests; see ManifestsLost). If again is true, the inventory was restored, and storeManifests always
// writes the Secret.
func (c *cluster) storeManifests(ctx context.Context, again bool) error {
	p := c.plan
	isStored := c.before != nil && c.before.Lease == nil && !c.ManifestsLost && c.before.ManifestsHash == p.Head.ManifestsHash &&
		c.before.WriteOnlyHash == p.Head.WriteOnlyHash
	if len(p.Placement.AllManifests()) == 0 || isStored && !again {
		return nil
	}
	want, err := p.Manifests().Encode(p.Placement.Name)
	if err != nil {
		return err
	}
	return c.putManifests(ctx, want)
}

func (c *cluster) putManifests(ctx context.Context, want *unstructured.Unstructured) error {
	live, err := record.Find(ctx, c.Client, record.SecretKind, want.GetName())
	if err != nil {
		return err
	}
	if live != nil && !record.IsInventory(live) {
		return c.nameConflict(live)
	}
	_, err = record.Put(ctx, c.Client, want, live)
	return err
}

// writeInventory writes the cluster's inventory, and keeps the stored object for the next write. If the response is lost, it reads the record to find out
// whether the write succeeded.
func (c *cluster) writeInventory(ctx context.Context, next *record.Inventory) error {
	var live *unstructured.Unstructured
	if known := cmp.Or(c.Inventory, c.Former); known != nil {
		live = known.Live
	}
	return c.putInventory(ctx, next, live)
}

// putInventory writes an inventory over live, the record as read, or creates it if live is nil.
func (c *cluster) putInventory(ctx context.Context, next *record.Inventory, live *unstructured.Unstructured) error {
	want, err := next.Encode(c.version)
	if err != nil {
		return err
	}
	key := c.plan.Placement.Key
	if next.IsUnproven() {
		key = nil // never sign an unproven inventory
	}
	record.Sign(want, key, c.UID)
	stored, err := record.Put(ctx, c.Client, want, live)
	if kube.IsUnreachable(err) && ctx.Err() == nil {
		again, getErr := c.Client.Get(ctx, record.ConfigMapKind, record.Namespace, want.GetName())
		if getErr == nil && record.Holds(again, want) {
			stored, err = again, nil
		}
	}
	if err != nil {
		return err
	}
	next.Live, next.Signed = stored, len(key) > 0
	c.Inventory = next
	return nil
}

// rollBack restores the inventories that were written ahead. On clusters that do not respond, they remain until the next apply.
func (r *run) rollBack(ctx context.Context) {
	_ = r.set.Each(ctx, r.plan.Names(), func(ctx context.Context, name string) error {
		c := r.clusters[name]
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.rollBack(ctx)
	})
}

func (c *cluster) rollBack(ctx context.Context) error {
	if !c.writtenAhead {
		return nil
	}
	c.writtenAhead, c.isMarked = false, false
	switch {
	case c.before.IsUnproven():
		return c.restore(ctx, c.before)
	case c.before != nil:
		previous := *c.before
		return c.writeInventory(ctx, &previous)
	case c.Former != nil:
		former := *c.Former
		err := c.restore(ctx, &former)
		c.Inventory, c.Former = nil, &former
		return errors.Join(err, c.removeManifests(ctx))
	default:
		return c.removeRecord(ctx)
	}
}

// restore writes a record exactly as it was read, without a new signature.
func (c *cluster) restore(ctx context.Context, previous *record.Inventory) error {
	stored, err := record.Put(ctx, c.Client, previous.Live, c.Inventory.Live)
	if err == nil {
		previous.Live = stored
		c.Inventory = previous
	}
	return err
}

// blocked returns an error with the reasons why reachable clusters were skipped, or nil if none was skipped.
func (r *run) blocked() error {
	var errs []error
	for _, name := range r.plan.Names() {
		errs = append(errs, r.clusters[name].blocked)
	}
	return errors.Join(errs...)
}
