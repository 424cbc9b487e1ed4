package apply

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/plan"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// attempts is how often an object is written that changes again and again while it is being decided about.
const attempts = 4

// execute writes the cluster's objects wave by wave, then removes what is left over. A failure of one object does not stop the others;
// a cluster that stops answering is left.
func (c *cluster) execute(ctx context.Context) {
	switch {
	case c.blocked != nil:
		c.failAll(c.blocked)
		return
	case c.Err != nil || c.lost() != nil:
		return
	}
	waves := map[int][]*plan.Item{}
	for _, i := range c.Items {
		wave := rollout.LastWave
		if group := i.Mapping.GVR; group.Resource != "" {
			wave = rollout.Wave(group.Group, group.Resource)
		}
		waves[wave] = append(waves[wave], i)
	}
	for _, wave := range sortedKeys(waves) {
		inParallel(waves[wave], func(i *plan.Item) { c.executeItem(ctx, i) })
		c.awaitDefinitions(ctx, waves[wave])
	}
	if c.announced && !c.KeepsLeftovers() {
		c.removeLeftovers(ctx)
	}
}

func inParallel(items []*plan.Item, work func(*plan.Item)) {
	group := errgroup.Group{}
	group.SetLimit(objectsAtOnce)
	for _, i := range items {
		group.Go(func() error {
			work(i)
			return nil
		})
	}
	_ = group.Wait()
}

// failAll records that nothing that was to be written was.
func (c *cluster) failAll(err error) {
	for _, i := range c.All() {
		switch {
		case i.Action.Writes():
			c.failWrite(i, err)
		case i.Action == takeover.ActionNone && i.Desired != nil:
			c.record(i, &outcome{})
		case i.Desired != nil:
			c.recordLeft(i)
		}
	}
}

// failWrite records that an object could not be written.
func (c *cluster) failWrite(i *plan.Item, err error) {
	rejected := takeover.Rejected(takeover.ObstacleAdmission, takeover.ReasonManifestApplyFailed, err.Error())
	c.fail(i, placement.Applied, rejected.Reason, rejected.Message())
}

// recordLeft records what was decided about an object that is not written: what there is to tell of it under strategy type ReportDiff, and
// why it is left otherwise.
func (c *cluster) recordLeft(i *plan.Item) {
	switch {
	case i.Action != takeover.ActionReport:
		c.fail(i, placement.Applied, i.Reason, i.Message)
	case i.Obstacle != takeover.ObstacleNone:
		c.fail(i, placement.DiffReported, i.Reason, i.Message)
	default:
		c.record(i, &outcome{})
	}
}

func (c *cluster) executeItem(ctx context.Context, i *plan.Item) {
	switch {
	case i.Action == takeover.ActionNone:
		c.record(i, &outcome{})
		return
	case !i.Action.Writes():
		c.recordLeft(i)
		return
	}
	if err := c.lost(); err != nil {
		c.failWrite(i, err)
		return
	}
	result, err := c.place(ctx, i)
	switch {
	case err == nil:
		c.Member.Written(&i.Object, result)
		c.record(i, &outcome{})
	case errors.Is(err, errLeft):
		c.recordLeft(i)
	default:
		if kube.IsUnreachable(err) {
			c.fall(err)
		}
		c.failWrite(i, err)
	}
}

// place writes an object. When it has changed since it was decided about, or the answer got lost, it is looked at again: a decision is
// never carried out on another object than the one it was made for.
func (c *cluster) place(ctx context.Context, i *plan.Item) (*unstructured.Unstructured, error) {
	for attempt := 1; ; attempt++ {
		result, err := c.Writer.Write(ctx, &i.Object, i.Action, false)
		if err == nil {
			return result, nil
		}
		lost := kube.IsUnreachable(err) && attempt == 1
		if kube.IsAlreadyExists(err) && i.Live == nil && attempt == 1 {
			return nil, errAppeared
		}
		if !lost && !kube.IsOutdated(err) && !kube.IsAlreadyExists(err) || attempt == attempts || ctx.Err() != nil {
			return nil, err
		}
		done, lookErr := c.reconsider(ctx, i)
		switch {
		case kube.IsUnreachable(lookErr):
			return nil, err
		case lookErr != nil:
			return nil, lookErr
		case done:
			return i.Live, nil
		}
	}
}

var (
	errAppeared = errors.New("the object has appeared on the cluster since the preview was made; it was left as it is. " +
		"Plan again to see what it is")
	errReplaced = errors.New("the object has been replaced by another one of the same name since the preview was made; that one was left as " +
		"it is. Plan again to see what it is")
	// errLeft is an object that was decided about anew, and is left; the object says why.
	errLeft     = errors.New("the object is left as it is")
	errVanished = errors.New("the object has been deleted from the cluster since the preview was made; the next apply places it anew")
)

// reconsider looks at the object again and decides again. done says that it is as it is to be already.
func (c *cluster) reconsider(ctx context.Context, i *plan.Item) (done bool, err error) {
	live, err := c.Client.Get(ctx, i.GroupVersionKind(), i.Desired.GetNamespace(), i.Name)
	missing := kube.IsNotFound(err)
	if err != nil && !missing {
		return false, err
	}
	switch {
	case i.Live == nil && missing:
		return false, nil
	case i.Live == nil && record.PartOf(live) == record.PartOf(i.Desired):
		i.Live = live // the create went through, and its answer got lost
		return true, nil
	case i.Live == nil:
		return false, errAppeared
	case missing:
		return false, errVanished
	case live.GetUID() != i.Live.GetUID():
		return false, errReplaced
	}
	if set := record.PartOf(live); set != "" && set != record.PartOf(i.Desired) {
		if err := c.Neighbours.Reread(ctx, c.Client, c.plan.Placement.Name); err != nil {
			return false, err
		}
	}
	before := i.Action
	i.Live = live
	if err := c.Member.Decide(ctx, &i.Object); err != nil {
		return false, err
	}
	switch i.Action {
	case takeover.ActionUpdate, takeover.ActionTakeOver:
		return false, nil
	case takeover.ActionNone:
		return true, nil
	case takeover.ActionLeaveAlone, takeover.ActionLeaveDrifted, takeover.ActionReject:
		return false, errLeft
	case takeover.ActionCreate, takeover.ActionReport, takeover.ActionPrune, takeover.ActionOrphan, takeover.ActionUnknown:
	}
	return false, fmt.Errorf("the object has changed since the preview was made: what was %s is now %s. Apply again", before, i.Action)
}
