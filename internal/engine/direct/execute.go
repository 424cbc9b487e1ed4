package direct

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// reasonManifestApplyFailed is KubeFleet's reason for a write that the API server did not accept.
const reasonManifestApplyFailed = "ManifestApplyFailed"

// attempts is how often an object is written that changes again and again while it is being decided about.
const attempts = 4

// execute writes the cluster's objects wave by wave, then removes what is left over. A failure of one object does not stop the others;
// a cluster that stops answering is left.
func (c *clusterRun) execute(ctx context.Context, p *plan) {
	switch {
	case c.blocked != nil:
		c.failAll(c.blocked)
		return
	case c.err != nil || c.lost() != nil:
		return
	}
	waves := map[int][]*item{}
	for _, i := range c.items {
		wave := rollout.LastWave
		if group := i.mapping.GVR; group.Resource != "" {
			wave = rollout.Wave(group.Group, group.Resource)
		}
		waves[wave] = append(waves[wave], i)
	}
	for _, wave := range sortedKeys(waves) {
		inParallel(waves[wave], func(i *item) { c.executeItem(ctx, p, i) })
		c.awaitDefinitions(ctx, waves[wave])
	}
	if c.announced && !c.keepsLeftovers(p) {
		c.removeLeftovers(ctx)
	}
}

func inParallel(items []*item, work func(*item)) {
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
func (c *clusterRun) failAll(err error) {
	for _, i := range c.all() {
		switch {
		case i.Action == engine.ActionRefuse:
			c.fail(i, i.Reason, i.Message)
		case i.Action.Pending():
			c.fail(i, reasonManifestApplyFailed, applyFailure(err.Error()))
		case i.desired != nil:
			c.record(i, &outcome{})
		}
	}
}

func (c *clusterRun) executeItem(ctx context.Context, p *plan, i *item) {
	switch i.Action {
	case engine.ActionRefuse:
		c.fail(i, i.Reason, i.Message)
		return
	case engine.ActionReport:
		c.recordReport(i)
		return
	case engine.ActionNone:
		i.detectDrift(p, i.live)
		c.record(i, &outcome{})
		return
	}
	if err := c.lost(); err != nil {
		c.fail(i, reasonManifestApplyFailed, applyFailure(err.Error()))
		return
	}
	result, err := c.place(ctx, p, i)
	var refused *refusedError
	switch {
	case err == nil:
		i.live = result
		i.detectDrift(p, i.live)
		c.record(i, &outcome{})
	case errors.As(err, &refused):
		c.fail(i, refused.reason, refused.message)
	default:
		if kube.IsUnreachable(err) {
			c.fall(err)
		}
		c.fail(i, reasonManifestApplyFailed, applyFailure(err.Error()))
	}
}

// refusedError is an object that was decided about anew, and is left alone.
type refusedError struct{ reason, message string }

func (e *refusedError) Error() string { return e.message }

// place writes an object. When it has changed since it was decided about, or the answer got lost, it is looked at again: a decision is
// never carried out on another object than the one it was made for.
func (c *clusterRun) place(ctx context.Context, p *plan, i *item) (*unstructured.Unstructured, error) {
	for attempt := 1; ; attempt++ {
		result, err := c.write(ctx, i, p.strategy(), false)
		if err == nil {
			return result, nil
		}
		lost := kube.IsUnreachable(err) && attempt == 1
		if kube.IsAlreadyExists(err) && i.live == nil && attempt == 1 {
			return nil, errAppeared
		}
		if !lost && !outdated(err) && !kube.IsAlreadyExists(err) || attempt == attempts || ctx.Err() != nil {
			return nil, err
		}
		done, lookErr := c.reconsider(ctx, p, i)
		switch {
		case kube.IsUnreachable(lookErr):
			return nil, err
		case lookErr != nil:
			return nil, lookErr
		case done:
			return i.live, nil
		}
	}
}

var (
	errAppeared = errors.New("the object has appeared on the cluster since the preview was made; it was left as it is. " +
		"Plan again to see what it is")
	errReplaced = errors.New("the object has been replaced by another one of the same name since the preview was made; that one was left as " +
		"it is. Plan again to see what it is")
	errVanished = errors.New("the object has been deleted from the cluster since the preview was made; the next apply places it anew")
)

// outdated tells a write that was refused because the object has changed from one that other managers' fields stand in the way of.
func outdated(err error) bool {
	var conflict *kube.ConflictError
	return kube.IsConflict(err) && !errors.As(err, &conflict)
}

// reconsider looks at the object again and decides again. done says that it is as it is to be already.
func (c *clusterRun) reconsider(ctx context.Context, p *plan, i *item) (done bool, err error) {
	live, err := c.cluster.Get(ctx, i.GroupVersionKind(), i.desired.GetNamespace(), i.Name)
	missing := kube.IsNotFound(err)
	if err != nil && !missing {
		return false, err
	}
	switch {
	case i.live == nil && missing:
		return false, nil
	case i.live == nil && partOf(live) == partOf(i.desired):
		i.live = live // the create went through, and its answer got lost
		return true, nil
	case i.live == nil:
		return false, errAppeared
	case missing:
		return false, errVanished
	case live.GetUID() != i.live.GetUID():
		return false, errReplaced
	}
	if set := partOf(live); set != "" && set != partOf(i.desired) {
		if err := c.meetNeighbours(ctx, p.request.Name); err != nil {
			return false, err
		}
	}
	before := i.Action
	i.live, i.Action, i.Reason, i.Message = live, "", "", ""
	if err := c.decideItem(ctx, p, i); err != nil {
		return false, err
	}
	switch i.Action {
	case engine.ActionUpdate, engine.ActionTakeOver:
		return false, nil
	case engine.ActionNone:
		return true, nil
	case engine.ActionRefuse:
		return false, &refusedError{reason: i.Reason, message: i.Message}
	default:
		return false, fmt.Errorf("the object has changed since the preview was made: what was %s is now %s. Apply again", before, i.Action)
	}
}

// meetNeighbours reads the other placements' records again: one that has just begun may have taken the object.
func (c *clusterRun) meetNeighbours(ctx context.Context, placementName string) error {
	records, err := c.cluster.List(ctx, configMapKind, Namespace, recordKindLabel)
	if err == nil {
		c.neighbours.replace(records, placementName)
	}
	return err
}
