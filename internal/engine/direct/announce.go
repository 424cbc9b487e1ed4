package direct

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// announce writes the inventories of the clusters that the apply begins with before the first object of any of them is written: what may
// come to exist is known before it does.
//
// A cluster that does not answer, or does not let its inventory be written, is left out; the others go on. An inventory that somebody
// else has written meanwhile stops everything: two applies of one placement must not work side by side. With an error nothing was
// written to any object, and the inventories are again as they were, as far as the clusters answer.
func (r *run) announce(ctx context.Context, names []string) error {
	err := r.engine.onEach(ctx, names, func(ctx context.Context, name string) error {
		return r.engine.announceOn(ctx, r.clusters[name], r.plan)
	})
	if err == nil {
		err = ended(ctx)
	}
	if err == nil && !r.anywhere() {
		return r.blocked()
	}
	if err != nil {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closingTime)
		defer cancel()
		r.withdraw(closing)
	}
	return err
}

// anywhere tells whether something was announced, or there was nothing to announce.
func (r *run) anywhere() bool {
	refused := false
	for _, c := range r.clusters {
		if c.announced {
			return true
		}
		refused = refused || c.blocked != nil
	}
	return !refused
}

func (e *Engine) announceOn(ctx context.Context, c *clusterRun, p *plan) error {
	if !c.touched(p) {
		return nil
	}
	c.before = c.inventory
	for _, i := range c.items {
		i.next = i.announced()
	}
	err := e.writeInventory(ctx, c.clusterPlan, c.announcement(p))
	if err == nil {
		c.announced = true
		err = c.keepManifests(ctx, p, c.before)
	}
	switch {
	case err == nil:
		return nil
	case silent(err):
		c.fall(reached(c.name, err))
		return nil
	case ctx.Err() != nil:
		return err
	case kube.IsConflict(err), kube.IsAlreadyExists(err):
		return busy(c.name, p.request.Name, err)
	default:
		c.blocked = fmt.Errorf("nothing was written to cluster %q, because the record of the placement could not be written there: %w", c.name, err)
		return nil
	}
}

// busy explains an inventory that changed under our hands.
func busy(cluster, placementName string, err error) error {
	return fmt.Errorf("another apply of the placement %q is under way, or has just ended: its record on cluster %q was written meanwhile. "+
		"Apply again once the other one is done (%w)", placementName, cluster, err)
}

// announcement is the inventory before the first object is written.
func (c *clusterPlan) announcement(p *plan) *inventory {
	next := &inventory{head: c.head(p), Spec: p.request.Spec}
	next.Applying = true
	if c.inventory != nil {
		next.HasManifests = next.HasManifests || c.inventory.HasManifests // until the Secret is removed
	}
	for _, i := range c.items {
		if entry := i.announced(); entry != nil {
			next.Objects = append(next.Objects, *entry)
		}
	}
	for _, i := range c.leftovers {
		next.Objects = append(next.Objects, i.entry)
	}
	return next
}

// announced is the item's entry before anything is written, nil for none: a takeover is recorded as one, with the UID of the object that
// was there.
func (i *item) announced() *Entry {
	entry := i.entry
	entry.Identifier = i.Identifier
	switch i.Action {
	case engine.ActionCreate:
		return &Entry{Identifier: i.Identifier}
	case engine.ActionTakeOver:
		return &Entry{Identifier: i.Identifier, UID: string(i.live.GetUID()), Adopted: true}
	case engine.ActionUpdate, engine.ActionNone:
		if i.live != nil && (!i.known || entry.UID != "" && entry.UID != string(i.live.GetUID())) {
			// Ours by its mark, and made by nobody knows whom: it is not deleted later.
			entry.UID, entry.Adopted = string(i.live.GetUID()), true
		}
		return &entry
	default:
		// A refused or reported object is not ours, unless it is one of ours that cannot be written or looked at now.
		if i.known && (i.live == nil || i.owned(partOf(i.desired))) {
			return &entry
		}
		return nil
	}
}

// keepManifests keeps the placement's own manifests beside its inventory. An inventory that says that they are kept does not prove it when
// the apply that wrote it was killed.
func (c *clusterPlan) keepManifests(ctx context.Context, p *plan, before *inventory) error {
	if len(p.request.Manifests) == 0 || before != nil && !before.Applying && before.ManifestsHash == p.generated.ManifestsHash {
		return nil
	}
	want, err := manifestsSecret(p.request.Name, p.request.Manifests)
	if err != nil {
		return err
	}
	live, err := c.cluster.Get(ctx, secretKind, Namespace, want.GetName())
	if kube.IsNotFound(err) {
		live, err = nil, nil
	}
	if err != nil {
		return err
	}
	_, err = put(ctx, c.cluster, want, live)
	return err
}

// writeInventory writes the cluster's inventory and keeps what the server stored for the next write. A write whose answer got lost is
// looked up.
func (e *Engine) writeInventory(ctx context.Context, c *clusterPlan, next *inventory) error {
	want, err := e.inventoryConfigMap(next)
	if err != nil {
		return err
	}
	var live *unstructured.Unstructured
	if c.inventory != nil {
		live = c.inventory.live
	}
	stored, err := put(ctx, c.cluster, want, live)
	if kube.IsUnreachable(err) && ctx.Err() == nil {
		again, getErr := c.cluster.Get(ctx, configMapKind, Namespace, want.GetName())
		if getErr == nil && holds(again, want) {
			stored, err = again, nil
		}
	}
	if err != nil {
		return err
	}
	next.live = stored
	c.inventory = next
	return nil
}

// withdraw takes the announcements back. What remains, because a cluster does not answer, is taken up by the next apply.
func (r *run) withdraw(ctx context.Context) {
	_ = r.engine.onEach(ctx, r.plan.clusterNames(), func(ctx context.Context, name string) error {
		c := r.clusters[name]
		if !c.announced {
			return nil
		}
		c.announced = false
		if c.before == nil {
			return c.forget(ctx, r.plan.request.Name)
		}
		previous := *c.before
		return r.engine.writeInventory(ctx, c.clusterPlan, &previous)
	})
}

// blocked are the reasons why clusters were left out though they answer.
func (r *run) blocked() error {
	var errs []error
	for _, name := range r.plan.clusterNames() {
		errs = append(errs, r.clusters[name].blocked)
	}
	return errors.Join(errs...)
}
