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

// Pace is how operations on one placement keep out of each other's way.
type Pace struct {
	// Renew is how often an operation renews the mark that it has in the records, Dead how long one has not been renewed that counts as
	// left behind by an operation that was killed.
	Renew, Dead time.Duration
}

// DefaultPace lets four renewals fail.
var DefaultPace = Pace{Renew: 5 * time.Second, Dead: 20 * time.Second}

// hold is what an operation has of the record on one cluster while it is under way: nobody else writes the record as long as the mark in it
// is renewed.
type hold struct {
	// mu is held while the record is written.
	mu sync.Mutex
	// mark is the operation's own, the same on all clusters.
	mark *record.UnderWay
	pace Pace
	// marked tells whether the record has the mark; renewed is when it was last seen to be written, without the monotonic clock, which stands
	// still while a machine sleeps.
	marked  bool
	renewed time.Time
	// anew tells that somebody had deleted or overwritten the record, and that it was written anew.
	anew bool
	// lost is why nothing more may be written: another operation has taken the placement.
	lost *engine.BusyError
}

// wrote notes that the record has the mark.
func (h *hold) wrote() { h.marked, h.renewed = true, time.Now().Round(0) }

// doubtful tells whether the mark was not renewed for so long that another operation may have taken this one for dead.
func (h *hold) doubtful() bool { return time.Now().Round(0).Sub(h.renewed) >= h.pace.Dead }

// keepAlive renews the marks in the records until it is stopped. An operation that has lost its placement to another one is cancelled.
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
						other.MarkUnreachable(err) // nothing more is begun anywhere
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

// renew renews the mark on one cluster. It returns an error if another operation has taken the placement. A renewal that fails is not the end
// of it: if somebody takes this operation for dead because of it, the next one that gets through finds that out.
func (c *cluster) renew(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.marked {
		return nil
	}
	stored, err := c.putMark(ctx, c.mark.At(time.Now()))
	switch {
	case err == nil:
		c.Inventory.Live = stored
		c.wrote()
	case kube.IsConflict(err), kube.IsNotFound(err):
		if err = c.reclaim(ctx); isBusy(err) {
			return err
		}
	}
	return nil
}

// putMark gives the record another mark, or with nil takes it off, if nobody has written it since it was seen last.
func (c *cluster) putMark(ctx context.Context, mark *record.UnderWay) (*unstructured.Unstructured, error) {
	patch, err := record.UnderWayPatch(c.Inventory.Live, mark)
	if err != nil {
		return nil, err
	}
	stored, err := c.Client.Patch(ctx, kube.RefOf(c.Inventory.Live), types.MergePatchType, patch, kube.WriteOptions{})
	if kube.IsForbidden(err) { // an account may have to get along without this verb
		return c.Client.Update(ctx, record.WithUnderWay(c.Inventory.Live, mark), kube.WriteOptions{})
	}
	return stored, err
}

// write writes the inventory while the record is held, also if somebody has meddled with it, unless another operation has taken the placement.
func (c *cluster) write(ctx context.Context, next *record.Inventory) error {
	err := c.writeInventory(ctx, next)
	if kube.IsConflict(err) || kube.IsNotFound(err) {
		if err = c.reclaim(ctx); err == nil {
			err = c.writeInventory(ctx, next)
		}
	}
	return err
}

// reclaim looks at a record that is not as this operation left it. Where people have deleted or overwritten it, it is written as it was, so
// that no object is left that nobody knows of. Where another operation has taken the placement, it is left.
func (c *cluster) reclaim(ctx context.Context) error {
	live, err := record.Find(ctx, c.Client, record.ConfigMapKind, c.recordName())
	if err != nil {
		return err
	}
	gone := live == nil
	var mark *record.UnderWay
	if !gone {
		mark = record.UnderWayOf(live)
	}
	switch {
	case mark != nil && mark.ID == c.mark.ID:
		c.Inventory.Live = live
		c.wrote()
		return nil
	case mark != nil || c.doubtful() || !gone && !record.IsInventory(live):
		c.marked = false
		c.lost = c.busyWith(live, nil)
		return c.lost
	case gone:
		if err := record.EnsureNamespace(ctx, c.Client); err != nil {
			return err
		}
	}
	c.anew = true
	again := *c.Inventory
	c.Inventory.Live = live
	again.UnderWay = c.mark.At(time.Now())
	if err := c.writeInventory(ctx, &again); err != nil {
		return err
	}
	c.wrote()
	return c.keepManifests(ctx, true)
}

// recordName returns the name of the cluster's current record, which is the former one until the placement is renamed there.
func (c *cluster) recordName() string {
	if known := cmp.Or(c.Inventory, c.Former); known != nil {
		return record.InventoryName(known.Name)
	}
	return record.InventoryName(c.plan.Placement.Name)
}

// release takes the mark off a record that stays as it is otherwise.
func (c *cluster) release(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.marked {
		return nil
	}
	c.marked = false
	stored, err := c.putMark(ctx, nil)
	if err == nil {
		c.Inventory.Live = stored
	}
	return err
}

// busyWith explains a record that is another one than this operation has seen or written: whose mark it has, if that can be told.
func (c *cluster) busyWith(live *unstructured.Unstructured, cause error) *engine.BusyError {
	out := &engine.BusyError{Placement: c.plan.Placement.Name, Cluster: c.Name, Lost: c.written(), Err: cause}
	if live == nil {
		return out
	}
	out.UnderWay = c.Marked(record.UnderWayOf(live))
	return out
}

// written tells whether this operation had the record.
func (h *hold) written() bool { return !h.renewed.IsZero() }

func isBusy(err error) bool {
	_, is := errors.AsType[*engine.BusyError](err)
	return is
}

// announce puts the mark into a record before anything is removed.
func (c *cluster) announce(ctx context.Context) error {
	if c.Client == nil || c.Err != nil || c.Inventory == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	stored, err := c.putMark(ctx, c.mark)
	if kube.IsUnreachable(err) && ctx.Err() == nil {
		stored, err = c.Client.Get(ctx, record.ConfigMapKind, record.Namespace, c.recordName())
		if mark := stored; err == nil && (record.UnderWayOf(mark) == nil || record.UnderWayOf(mark).ID != c.mark.ID) {
			stored, err = c.putMark(ctx, c.mark) // the request got lost, rather than its answer
		}
	}
	switch {
	case kube.IsConflict(err), kube.IsNotFound(err):
		return c.met(ctx, err)
	case err != nil:
		return clusterset.Unreachable(c.Name, err)
	}
	c.Inventory.Live = stored
	c.wrote()
	return nil
}

// taken is why nothing more may be written to the cluster; nil if it may.
func (c *cluster) taken() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost == nil {
		return nil
	}
	return c.lost
}

// outlast is a context for writes: they end with it, but not where another operation has taken the placement. What is on its way to a cluster
// then comes to its end, so that it is known what has been made.
func outlast(ctx context.Context) (writing context.Context, end func()) {
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
