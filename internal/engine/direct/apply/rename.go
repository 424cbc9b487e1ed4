package apply

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/plan"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// RenameErrors has the errors of a rename by cluster. Nothing else is written to these clusters.
type RenameErrors map[string]error

// Rename renames a placement on the clusters that have it under another name: it writes the records under the new name and updates the labels of the
// objects. It changes nothing else in the objects.
//
// On each cluster, Rename writes the new record before it updates the first label, and removes the former record after it has updated the last label. A rename
// that is interrupted therefore leaves two records with the identity of the placement, and the next apply or removal completes it.
//
// Rename returns an error if another operation changes the placement, or the context ends. If another error occurs on a cluster, Rename records it in the
// RenameErrors and continues with the other clusters. The placement keeps the new name on clusters where it is already renamed.
func Rename(ctx context.Context, clusters *clusterset.Set, p *plan.Plan, options Options, operation engine.Operation) (RenameErrors, error) {
	r := newRun(clusters, p, options, operation)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer r.keepAlive(ctx, cancel)()
	names := p.MisnamedClusters()
	first := min(1, len(names))
	var mu sync.Mutex
	failed := RenameErrors{}
	each := func(names []string, work func(context.Context, *cluster) error) error {
		return clusters.Each(ctx, names, func(ctx context.Context, name string) error {
			mu.Lock()
			known := failed[name]
			mu.Unlock()
			if known != nil {
				return nil
			}
			err := work(ctx, r.clusters[name])
			if err == nil || isBusy(err) || ctx.Err() != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			failed[name] = err
			return nil
		})
	}
	announce := func(ctx context.Context, c *cluster) error {
		if err := c.announce(ctx); err != nil {
			return err
		}
		return c.blocked
	}
	err := each(names[:first], announce) // of two operations that start at the same time, the one that writes its lease on the first cluster proceeds
	if err == nil {
		err = each(names[first:], announce)
	}
	if err == nil {
		err = each(names, func(ctx context.Context, c *cluster) error { return c.rename(ctx) })
	}
	closing, end := context.WithTimeout(context.WithoutCancel(ctx), closingTime)
	defer end()
	_ = clusters.Each(closing, names, func(ctx context.Context, name string) error { return r.clusters[name].release(ctx) })
	if cause := context.Cause(ctx); cause != nil && !isBusy(err) {
		err = cause
		if !isBusy(cause) {
			err = fmt.Errorf("the rename to %q ended before it was complete on all clusters; the next apply or removal continues: %w", p.Placement.Name, cause)
		}
	}
	return failed, err
}

// blockMisnamed blocks the clusters that still have the placement under another name.
func (r *run) blockMisnamed() {
	for _, name := range r.plan.MisnamedClusters() {
		why := r.options.RenameErrors[name]
		if why == nil {
			why = errors.New("a record under another name was created since the rename")
		}
		r.clusters[name].blocked = fmt.Errorf("the placement could not be renamed on cluster %q, so nothing else was written there; the next apply "+
			"continues: %w", name, why)
	}
}

// rename renames the placement on one cluster. Unless the placement has left the cluster, the current record there has the lease of this operation.
func (c *cluster) rename(ctx context.Context) error {
	for _, step := range []func(context.Context) error{c.renameRecord, c.copyManifests, c.renameMarks, c.removeMisnamed, c.completeRename} {
		if err := c.lostError(); err != nil {
			return err
		}
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// renameRecord writes the current record under the placement's name, unless the record already has this name.
func (c *cluster) renameRecord(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, name := cmp.Or(c.Inventory, c.Former), c.plan.Placement.Name
	if known.Name == name {
		return nil
	}
	live, err := c.findReplaceable(ctx)
	if err != nil {
		return err
	}
	c.before = known
	next := known.Renamed(name)
	former := c.Inventory == nil
	if !former {
		next.Lease = c.mark.At(time.Now())
	}
	if err := c.putInventory(ctx, next, live); err != nil {
		return err
	}
	if former {
		c.Inventory, c.Former = nil, next
		return nil
	}
	c.setMarked()
	return nil
}

// findReplaceable returns the existing record that has the new name, or nil. Such a record comes from an interrupted rename, or from another placement that has
// left the cluster. If another placement with the new name is on the cluster, findReplaceable returns an error.
func (c *cluster) findReplaceable(ctx context.Context) (*unstructured.Unstructured, error) {
	name := c.plan.Placement.Name
	live, err := record.Find(ctx, c.Client, record.ConfigMapKind, record.InventoryName(name))
	if err != nil || live == nil {
		return nil, err
	}
	if !record.IsInventory(live) {
		return nil, c.nameConflict(live)
	}
	if there, err := record.DecodeInventory(live); err == nil && (there.ID == c.plan.Placement.ID || there.Former()) {
		return live, nil
	}
	return nil, &engine.NameTakenError{Former: c.MisnamedRecords[len(c.MisnamedRecords)-1].Name, Name: name, Where: c.Name}
}

// copyManifests copies the Secret with the manifests to the placement's name, unless the Secret with this name matches the record. If several former records
// have a Secret, it copies the Secret of the newest record.
func (c *cluster) copyManifests(ctx context.Context) error {
	current := c.recorded()
	if !current.HasManifests {
		return nil
	}
	if isStored, err := current.HasStoredManifests(ctx, c.Client); err != nil || isStored {
		return err // the former record may come from a backup and have older manifests
	}
	for _, known := range slices.Backward(c.MisnamedRecords) {
		secret, err := record.Find(ctx, c.Client, record.SecretKind, record.InventoryName(known.Name))
		if err != nil {
			return err
		}
		if secret == nil || !record.IsInventory(secret) {
			continue
		}
		return c.putManifests(ctx, record.CopyManifests(secret, c.plan.Placement.Name))
	}
	return nil
}

// renameMarks updates the label of the objects that have the label of a former name. It records the new resource versions of objects that have not changed
// since the last apply.
func (c *cluster) renameMarks(ctx context.Context) error {
	known := c.recorded()
	refs := map[int]kube.Ref{}
	for at, entry := range known.Objects {
		if !entry.Released && plan.IsObject(entry.Identifier) {
			refs[at] = kube.Ref{GVK: entry.GroupVersionKind(), Namespace: entry.Namespace, Name: entry.Name}
		}
	}
	found, errs := c.Client.GetMany(ctx, slices.Collect(maps.Values(refs)))
	for ref, err := range errs {
		if kube.IsUnknownKind(err) {
			err = c.Client.CheckUnserved(ctx, ref.GVK.GroupKind())
		}
		if err != nil {
			return fmt.Errorf("%s could not be read: %w", ref, err)
		}
	}
	var group errgroup.Group
	group.SetLimit(kube.MaxParallel)
	versions := make([]string, len(known.Objects))
	for at, ref := range refs {
		live := found[ref]
		if live == nil {
			continue
		}
		group.Go(func() error {
			entry := known.Objects[at]
			stored, err := c.renameMark(ctx, entry, live)
			if before, is := c.before.Entry(entry.Key()); stored != nil && is && before.ResourceVersion == live.GetResourceVersion() {
				versions[at] = stored.GetResourceVersion()
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	c.versions = versions
	return nil
}

func (c *cluster) recorded() *record.Inventory {
	c.mu.Lock()
	defer c.mu.Unlock()
	return cmp.Or(c.Inventory, c.Former)
}

// renameMark updates the label of one object. It does nothing if the UID of the object is not the recorded one, or if the object does not have the label of a
// former name. It returns the stored object if it patched the version in live, and nil otherwise.
func (c *cluster) renameMark(ctx context.Context, entry record.Entry, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	for attempt := 1; ; attempt++ {
		if entry.UID != "" && entry.UID != string(live.GetUID()) || !c.IsFormerlyMarked(live) {
			return nil, nil //nolint:nilnil // another object, or one without a former label
		}
		stored, err := c.Client.ReplaceLabel(ctx, live, applyset.PartOfLabel, record.ApplySetID(c.plan.Placement.Name))
		if err == nil && attempt == 1 {
			return stored, nil
		}
		if err == nil || kube.IsNotFound(err) {
			return nil, nil //nolint:nilnil // see above
		}
		lost := kube.IsUnreachable(err) && ctx.Err() == nil
		if attempt > 1 || !lost && !kube.IsInvalid(err) {
			return nil, err
		}
		// The response was lost, or another client has changed the label.
		again, getErr := c.Client.Get(ctx, live.GroupVersionKind(), live.GetNamespace(), live.GetName())
		if kube.IsNotFound(getErr) {
			return nil, nil //nolint:nilnil // see above
		}
		if getErr != nil {
			return nil, err
		}
		live = again
	}
}

// removeMisnamed deletes the records under former names. It returns a conflict if another client has changed one.
func (c *cluster) removeMisnamed(ctx context.Context) error {
	for _, known := range c.MisnamedRecords {
		if known.HasManifests {
			if err := c.removeManifestsOf(ctx, known.Name); err != nil {
				return err
			}
		}
		if err := c.removeUnchanged(ctx, known); err != nil {
			return err
		}
	}
	return nil
}

// completeRename removes the lease from the record, and records the versions of the objects.
func (c *cluster) completeRename(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.isMarked {
		return nil // the record of a placement that has left the cluster has no lease
	}
	next := *c.Inventory
	next.Lease, next.Objects = nil, slices.Clone(next.Objects)
	for at, version := range c.versions {
		next.Objects[at].ResourceVersion = version
	}
	err := c.write(ctx, &next)
	if err == nil {
		c.isMarked = false
	}
	return err
}
