package apply

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Pace has the intervals of the leases that exclude concurrent operations on one placement.
type Pace struct {
	// Renew is the interval at which an operation renews its lease in the records. Dead is the time without a renewal after which an operation counts as killed.
	Renew, Dead time.Duration
}

// DefaultPace counts an operation as killed after four renewal intervals.
var DefaultPace = Pace{Renew: 5 * time.Second, Dead: 20 * time.Second}

// hold is the state of an operation's lease on the record of one cluster. No other operation on the placement writes the record as long as the lease is
// renewed.
type hold struct {
	// mu is held while the record is written.
	mu sync.Mutex
	// mark is the operation's lease, the same on all clusters.
	mark *record.Lease
	pace Pace
	// isMarked reports whether the record has the lease. renewed is the time of the last known write of the lease, as wall clock time, because the monotonic
	// clock stops while a machine sleeps.
	isMarked bool
	renewed  time.Time
	// isRestored reports that another client had deleted or overwritten the record, and that this operation restored it.
	isRestored bool
	// lost is the reason why nothing more may be written: another operation has taken over the placement, or may have done so.
	lost *engine.BusyError
}

func (h *hold) setMarked() { h.isMarked, h.renewed = true, time.Now().Round(0) }

// isExpired reports whether the lease has not been renewed for pace.Dead, so that another operation may consider this operation killed.
func (h *hold) isExpired() bool { return time.Now().Round(0).Sub(h.renewed) >= h.pace.Dead }

// keepAlive renews the leases in the records until stop is called. It cancels the operation if another one has taken over the placement.
func (r *run) keepAlive(ctx context.Context, cancel context.CancelCauseFunc) (stop func()) {
	ctx, end := context.WithCancel(context.WithoutCancel(ctx))
	var wait sync.WaitGroup
	for _, c := range r.clusters {
		if c.Client == nil {
			continue
		}
		wait.Go(func() {
			ticker := time.NewTicker(r.options.Pace.Renew)
			defer ticker.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-ticker.C:
				}
				if err := c.renew(ctx); err != nil {
					for _, other := range r.clusters {
						other.MarkUnreachable(err) // start no more writes on any cluster
					}
					cancel(err)
				}
			}
		})
	}
	return func() {
		end()
		wait.Wait()
	}
}

// renew renews the lease on one cluster. It returns an error if another operation has taken over the placement. It ignores other errors: if another operation
// takes over the placement because of a failed renewal, the next successful request detects that.
func (c *cluster) renew(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.isMarked {
		return nil
	}
	stored, err := c.putMark(ctx, c.mark.At(time.Now()))
	switch {
	case err == nil:
		c.Inventory.Live = stored
		c.setMarked()
	case kube.IsConflict(err), kube.IsNotFound(err):
		if err = c.reclaim(ctx); isBusy(err) {
			return err
		}
	}
	return nil
}

// putMark sets the lease in the record, or removes it if mark is nil. It returns a conflict if another client has changed the record since it was read.
func (c *cluster) putMark(ctx context.Context, mark *record.Lease) (*unstructured.Unstructured, error) {
	patch, err := record.LeasePatch(c.Inventory.Live, mark)
	if err != nil {
		return nil, err
	}
	stored, err := c.Client.Patch(ctx, kube.RefOf(c.Inventory.Live), types.MergePatchType, patch, kube.WriteOptions{})
	if kube.IsForbidden(err) { // the account may lack the verb patch
		return c.Client.Update(ctx, record.WithUnderWay(c.Inventory.Live, mark), kube.WriteOptions{})
	}
	return stored, err
}

// write writes the inventory to the record that has this operation's lease. If another client has changed or deleted the record, write calls reclaim and tries
// again.
func (c *cluster) write(ctx context.Context, next *record.Inventory) error {
	err := c.writeInventory(ctx, next)
	if kube.IsConflict(err) || kube.IsNotFound(err) {
		if err = c.reclaim(ctx); err == nil {
			err = c.writeInventory(ctx, next)
		}
	}
	return err
}

// reclaim reads a record that has changed since this operation wrote it. If the record still has the lease of this operation, reclaim accepts the record as
// read. If another client has deleted or overwritten the record, reclaim restores the record, so that every object is recorded. If another operation may have
// taken over the placement, or if an object that is not a record has the name of the record, reclaim returns a *[engine.BusyError] and writes nothing.
func (c *cluster) reclaim(ctx context.Context) error {
	live, err := record.Find(ctx, c.Client, record.ConfigMapKind, c.recordName())
	if err != nil {
		return err
	}
	gone := live == nil
	var mark *record.Lease
	if !gone {
		mark = record.LeaseOf(live)
	}
	switch {
	case mark != nil && mark.ID == c.mark.ID:
		c.Inventory.Live = live
		c.setMarked()
		return nil
	case mark != nil || c.isExpired() || !gone && !record.IsInventory(live):
		c.isMarked = false
		c.lost = c.busyWith(live, nil)
		return c.lost
	case gone:
		if err := record.EnsureNamespace(ctx, c.Client); err != nil {
			return err
		}
	}
	again := *c.Inventory
	again.Lease = c.mark.At(time.Now())
	if err := c.putInventory(ctx, &again, live); err != nil {
		return err // the inventory keeps the record as last read, so the next request detects the deletion again
	}
	c.isRestored = true
	c.setMarked()
	return c.storeManifests(ctx, true)
}

// recordName returns the name of the cluster's current record. This is the former name until the placement is renamed on the cluster.
func (c *cluster) recordName() string {
	if known := cmp.Or(c.Inventory, c.Former); known != nil {
		return record.InventoryName(known.Name)
	}
	return record.InventoryName(c.plan.Placement.Name)
}

func (c *cluster) release(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.isMarked {
		return nil
	}
	c.isMarked = false
	stored, err := c.putMark(ctx, nil)
	if err == nil {
		c.Inventory.Live = stored
	}
	return err
}

// busyWith returns the error for a record that differs from the one that this operation has read or written. If the record has a lease, the error names the other
// operation.
func (c *cluster) busyWith(live *unstructured.Unstructured, cause error) *engine.BusyError {
	out := &engine.BusyError{Placement: c.plan.Placement.Name, Cluster: c.Name, Lost: c.hasWritten(), Err: cause}
	if live == nil {
		return out
	}
	out.InProgress = c.Marked(record.LeaseOf(live))
	return out
}

func (h *hold) hasWritten() bool { return !h.renewed.IsZero() }

func isBusy(err error) bool {
	_, is := errors.AsType[*engine.BusyError](err)
	return is
}

// announce writes the lease to the record before anything is removed or renamed. It does nothing on a cluster that cannot be read or has no inventory.
func (c *cluster) announce(ctx context.Context) error {
	if c.Client == nil || c.Err != nil || c.Inventory == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	stored, err := c.putMark(ctx, c.mark)
	if kube.IsUnreachable(err) && ctx.Err() == nil {
		stored, err = c.Client.Get(ctx, record.ConfigMapKind, record.Namespace, c.recordName())
		if mark := stored; err == nil && (record.LeaseOf(mark) == nil || record.LeaseOf(mark).ID != c.mark.ID) {
			stored, err = c.putMark(ctx, c.mark) // the request was lost, not the response
		}
	}
	switch {
	case kube.IsConflict(err), kube.IsNotFound(err):
		return c.explainConflict(ctx, err)
	case err != nil:
		return clusterset.Unreachable(c.Name, err)
	}
	c.Inventory.Live = stored
	c.setMarked()
	return nil
}

func (c *cluster) lostError() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost == nil {
		return nil
	}
	return c.lost
}

// newWriteContext returns a context for writes. It is cancelled with ctx, except if another operation has taken over the placement: writes in progress then
// complete, so that it is known which objects they created.
func newWriteContext(ctx context.Context) (writing context.Context, end func()) {
	writing, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if !isBusy(context.Cause(ctx)) {
			cancel(context.Cause(ctx))
		}
	})
	return writing, func() {
		stop()
		cancel(nil)
	}
}
