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

// writeAhead writes the inventories of the clusters that the apply begins with before the first object of any of them is written: what may
// come to exist is known before it does.
//
// A cluster that does not answer, or does not let its inventory be written, is left out; the others go on. An inventory that somebody
// else has written meanwhile stops everything: two applies of one placement must not work side by side. With an error nothing was
// written to any object, and the inventories are again as they were, as far as the clusters answer.
func (r *run) writeAhead(ctx context.Context, names []string) error {
	slices.Sort(names)
	var err error
	// Of two applies that begin at the same moment the one wins that has the first cluster.
	for _, some := range [][]string{names[:min(1, len(names))], names[min(1, len(names)):]} {
		if err == nil {
			err = r.set.Each(ctx, some, func(ctx context.Context, name string) error { return r.clusters[name].writeAhead(ctx) })
		}
	}
	if err == nil {
		err = clusterset.Ended(ctx)
	}
	if err == nil && !r.anywhere() {
		return r.blocked()
	}
	if err != nil {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closingTime)
		defer cancel()
		r.rollBack(closing)
	}
	return err
}

// anywhere tells whether something was written ahead, or there was nothing to write.
func (r *run) anywhere() bool {
	refused := false
	for _, c := range r.clusters {
		if c.writtenAhead {
			return true
		}
		refused = refused || c.blocked != nil
	}
	return !refused
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
		return c.met(ctx, err)
	}
	if err == nil {
		c.writtenAhead = true
		c.Announced(next)
		c.wrote()
		err = c.keepManifests(ctx, false)
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

// met explains a record that is not as it was when the clusters were looked at, or that somebody else's object is in the place of.
func (c *cluster) met(ctx context.Context, cause error) error {
	live, err := c.Client.Get(ctx, record.ConfigMapKind, record.Namespace, c.recordName())
	if err == nil && !record.IsInventory(live) {
		c.blocked = fmt.Errorf("nothing was written to cluster %q: %w", c.Name, c.inTheWay(live))
		return nil
	}
	return c.busyWith(live, cause)
}

// inTheWay explains somebody else's object that has the name of a record.
func (c *cluster) inTheWay(live *unstructured.Unstructured) error {
	kind := live.GetKind()
	return fmt.Errorf("cluster %q has a %s %s/%s that is not a record of this provider (it has no label %s=%s), and a record of the placement %q "+
		"has to have this name. Remove that %s, or choose another name for the placement",
		c.Name, kind, live.GetNamespace(), live.GetName(), record.KindLabel, record.PlacementKind, c.plan.Placement.Name, kind)
}

// keepManifests keeps the placement's own manifests beside its inventory. An inventory that says that they are kept does not prove it when
// the apply that wrote it was killed or somebody has deleted them since, and neither does one that was written anew.
func (c *cluster) keepManifests(ctx context.Context, again bool) error {
	p := c.plan
	kept := c.before != nil && c.before.UnderWay == nil && !c.ManifestsLost && c.before.ManifestsHash == p.Head.ManifestsHash &&
		c.before.WriteOnlyHash == p.Head.WriteOnlyHash
	if len(p.Placement.AllManifests()) == 0 || kept && !again {
		return nil
	}
	want, err := p.Manifests().Encode(p.Placement.Name)
	if err != nil {
		return err
	}
	return c.putManifests(ctx, want)
}

// putManifests writes the Secret with the manifests.
func (c *cluster) putManifests(ctx context.Context, want *unstructured.Unstructured) error {
	live, err := record.Find(ctx, c.Client, record.SecretKind, want.GetName())
	if err != nil {
		return err
	}
	if live != nil && !record.IsInventory(live) {
		return c.inTheWay(live)
	}
	_, err = record.Put(ctx, c.Client, want, live)
	return err
}

// writeInventory writes the cluster's inventory and keeps what the server stored for the next write. A write whose answer got lost is
// looked up.
func (c *cluster) writeInventory(ctx context.Context, next *record.Inventory) error {
	var live *unstructured.Unstructured
	if known := cmp.Or(c.Inventory, c.Former); known != nil {
		live = known.Live
	}
	return c.putInventory(ctx, next, live)
}

// putInventory writes an inventory in the place of a record that was read, nil for none.
func (c *cluster) putInventory(ctx context.Context, next *record.Inventory, live *unstructured.Unstructured) error {
	want, err := next.Encode(c.version)
	if err != nil {
		return err
	}
	key := c.plan.Placement.Key
	if next.IsUnproven() {
		key = nil // what is not proven is never signed
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

// rollBack takes what was written ahead back. What remains, because a cluster does not answer, is taken up by the next apply.
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
	c.writtenAhead, c.marked = false, false
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
		return errors.Join(err, c.forgetManifests(ctx))
	default:
		return c.forget(ctx)
	}
}

// restore writes a record as it was read: the placement does not vouch for what is in it.
func (c *cluster) restore(ctx context.Context, previous *record.Inventory) error {
	stored, err := record.Put(ctx, c.Client, previous.Live, c.Inventory.Live)
	if err == nil {
		previous.Live = stored
		c.Inventory = previous
	}
	return err
}

// blocked are the reasons why clusters were left out though they answer.
func (r *run) blocked() error {
	var errs []error
	for _, name := range r.plan.Names() {
		errs = append(errs, r.clusters[name].blocked)
	}
	return errors.Join(errs...)
}
