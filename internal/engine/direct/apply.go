package direct

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

const (
	// objectsAtOnce is how many objects of a wave are written to one cluster at once.
	objectsAtOnce = 8
	// closingTime is how long the inventories may take to be completed after the time for the apply has run out.
	closingTime = 20 * time.Second
)

// Preview tells what ApplyPlacement would do now.
func (e *Engine) Preview(ctx context.Context, request engine.PlacementRequest) (*engine.Preview, error) {
	p, err := e.plan(ctx, request)
	if err != nil {
		return nil, err
	}
	return p.preview(), nil
}

// ApplyPlacement makes the preview again and carries it out.
func (e *Engine) ApplyPlacement(ctx context.Context, request engine.PlacementRequest) (*engine.Result, error) {
	p, err := e.plan(ctx, request)
	if err != nil {
		return nil, err
	}
	if err := p.mayStart(); err != nil {
		return nil, err
	}
	result := &engine.Result{}
	run := &run{engine: e, plan: p, outcomes: map[string]*clusterRun{}}
	for _, c := range p.clusters {
		run.outcomes[c.name] = &clusterRun{clusterPlan: c, done: map[*item]*outcome{}}
	}
	if err := run.announce(ctx); err != nil {
		return nil, err
	}
	_ = e.onEach(ctx, p.clusterNames(), func(ctx context.Context, name string) error {
		run.outcomes[name].execute(ctx, p)
		return nil
	})
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closingTime)
	defer cancel()
	problems := run.complete(closing)
	result.TimedOut = run.waitAvailable(ctx, request.WaitUntilAvailable)
	result.Status = run.status()
	return result, problems
}

// mayStart refuses what must not even begin: a new placement under a name that is taken, or one that selects nothing at all, which
// would otherwise remove everything an earlier apply placed.
func (p *plan) mayStart() error {
	if len(p.content.objects) == 0 {
		return &engine.NothingSelectedError{Placement: p.request.Name}
	}
	if !p.request.Create {
		return nil
	}
	var where []string
	for _, c := range p.clusters {
		if c.inventory == nil {
			continue
		}
		if c.inventory.Applying {
			return nil // an apply that was killed; this one goes on with it
		}
		where = append(where, c.name)
	}
	if len(where) == 0 {
		return nil
	}
	return &engine.ExistsError{
		What: fmt.Sprintf("A placement named %q", p.request.Name), Where: strings.Join(where, ", "), Import: p.request.Name,
	}
}

// run is an apply that is under way.
type run struct {
	engine   *Engine
	plan     *plan
	outcomes map[string]*clusterRun
}

// clusterRun is what came of a cluster's plan.
type clusterRun struct {
	*clusterPlan
	mu   sync.Mutex
	done map[*item]*outcome
	// silent is why the cluster fell out while it was worked on.
	silent error
}

// outcome is what came of one item.
type outcome struct {
	failure *placement.Condition
	waiting *placement.Condition
	// untracked objects have no availability that could be told.
	untracked bool
	gone      bool
}

// touched tells whether the apply writes to the cluster.
func (c *clusterRun) touched(p *plan) bool {
	if c.err != nil {
		return false
	}
	if c.resume(p) {
		return true
	}
	return slices.ContainsFunc(append(append([]*item{}, c.items...), c.leftovers...), func(i *item) bool { return i.Action.Pending() })
}

// announce writes every inventory before the first object of any cluster is written: what may come to exist is known before it does.
func (r *run) announce(ctx context.Context) error {
	return r.engine.onEach(ctx, r.plan.clusterNames(), func(ctx context.Context, name string) error {
		c := r.outcomes[name]
		if !c.touched(r.plan) {
			return nil
		}
		err := r.engine.announce(ctx, c, r.plan)
		if err != nil && kube.IsUnreachable(err) {
			c.err, c.silent = reached(name, err), err
			return nil
		}
		return err
	})
}

func (e *Engine) announce(ctx context.Context, c *clusterRun, p *plan) error {
	next := &inventory{head: c.head(p), Spec: p.request.Spec}
	next.Applying = true
	for _, i := range c.items {
		next.Objects = append(next.Objects, i.announced()...)
	}
	for _, i := range c.leftovers {
		next.Objects = append(next.Objects, i.entry)
	}
	if len(p.request.Manifests) > 0 && (c.inventory == nil || c.inventory.ManifestsHash != p.generated.ManifestsHash) {
		if err := c.keepManifests(ctx, p); err != nil {
			return err
		}
	}
	return e.writeInventory(ctx, c.clusterPlan, next)
}

// announced is the item's entry before anything is written: a takeover is recorded as one, with the UID of the object that was there.
func (i *item) announced() []Entry {
	entry := i.entry
	entry.Identifier = i.Identifier
	switch i.Action {
	case engine.ActionCreate:
		return []Entry{{Identifier: i.Identifier}}
	case engine.ActionTakeOver:
		return []Entry{{Identifier: i.Identifier, UID: string(i.live.GetUID()), Adopted: true}}
	case engine.ActionUpdate, engine.ActionNone:
		if !i.known && i.live != nil {
			// Ours by its mark, and nobody knows how it came to be: it is not deleted later.
			entry.UID, entry.Adopted = string(i.live.GetUID()), true
		}
		return []Entry{entry}
	default:
		// A refused object is not ours, unless it is one of ours that cannot be written or looked at now.
		if i.known && (i.live == nil || i.owned(partOf(i.desired))) {
			return []Entry{entry}
		}
		return nil
	}
}

func (c *clusterPlan) keepManifests(ctx context.Context, p *plan) error {
	want, err := manifestsSecret(p.request.Name, p.request.Manifests)
	if err != nil {
		return err
	}
	live, err := c.cluster.Get(ctx, secretKind, Namespace, want.GetName())
	if err != nil && !kube.IsNotFound(err) {
		return err
	}
	if kube.IsNotFound(err) {
		live = nil
	}
	_, err = put(ctx, c.cluster, want, live)
	return err
}

// writeInventory writes the cluster's inventory and keeps what the server stored for the next write.
func (e *Engine) writeInventory(ctx context.Context, c *clusterPlan, next *inventory) error {
	want, err := e.inventoryConfigMap(next)
	if err != nil {
		return err
	}
	var live = next.live
	if live == nil && c.inventory != nil {
		live = c.inventory.live
	}
	stored, err := put(ctx, c.cluster, want, live)
	if err != nil {
		return err
	}
	next.live = stored
	c.inventory = next
	return nil
}

// execute writes the cluster's objects wave by wave, then removes what is left over. A failure of one object does not stop the others;
// a cluster that stops answering is left.
func (c *clusterRun) execute(ctx context.Context, p *plan) {
	if c.err != nil || !c.touched(p) {
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
		c.inParallel(ctx, waves[wave], func(ctx context.Context, i *item) { c.executeItem(ctx, p, i) })
		c.awaitDefinitions(ctx, waves[wave])
	}
	c.removeLeftovers(ctx)
}

func (c *clusterRun) inParallel(ctx context.Context, items []*item, work func(context.Context, *item)) {
	group := errgroup.Group{}
	group.SetLimit(objectsAtOnce)
	for _, i := range items {
		group.Go(func() error {
			work(ctx, i)
			return nil
		})
	}
	_ = group.Wait()
}

func (c *clusterRun) executeItem(ctx context.Context, p *plan, i *item) {
	switch i.Action {
	case engine.ActionRefuse:
		c.fail(i, i.Reason, i.Message)
		return
	case engine.ActionNone:
		c.record(i, &outcome{})
		return
	}
	if c.silent != nil {
		c.fail(i, reasonManifestApplyFailed, applyFailure(c.silent.Error()))
		return
	}
	result, _, err := c.write(ctx, i, p.spec.Strategy.ApplyStrategy, false)
	switch {
	case err == nil:
		c.mu.Lock()
		i.live = result
		c.mu.Unlock()
		c.record(i, &outcome{})
	case i.Action == engine.ActionCreate && kube.IsAlreadyExists(err):
		c.fail(i, reasonManifestApplyFailed, applyFailure("the object has appeared on the cluster since the preview was made; "+
			"it was left as it is. Plan again to see what it is"))
	default:
		if kube.IsUnreachable(err) {
			c.mu.Lock()
			c.silent = err
			c.mu.Unlock()
		}
		c.fail(i, reasonManifestApplyFailed, applyFailure(err.Error()))
	}
}

// reasonManifestApplyFailed is KubeFleet's reason for a write that the API server did not accept.
const reasonManifestApplyFailed = "ManifestApplyFailed"

func (c *clusterRun) fail(i *item, reason, message string) {
	c.record(i, &outcome{failure: &placement.Condition{
		Type: placement.Applied, Status: placement.False, Reason: reason, Message: message, ObservedGeneration: generationOf(i),
	}})
}

func (c *clusterRun) record(i *item, o *outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done[i] = o
}

// complete writes the inventories as they are after the apply. The mark of an apply that is under way goes last, when the inventories of
// all clusters are right.
func (r *run) complete(ctx context.Context) error {
	return r.engine.onEach(ctx, r.plan.clusterNames(), func(ctx context.Context, name string) error {
		c := r.outcomes[name]
		if c.err != nil || c.inventory == nil || !c.inventory.Applying {
			return nil
		}
		next := c.completed(r.plan)
		if !c.decision.Selected && len(next.Objects) == 0 {
			return reached(name, c.forget(ctx, r.plan.request.Name))
		}
		err := r.engine.writeInventory(ctx, c.clusterPlan, next)
		var unreachable *engine.UnreachableError
		if err = reached(name, err); errors.As(err, &unreachable) {
			c.silent = err
			return nil
		}
		return err
	})
}

// completed is the inventory after the apply.
func (c *clusterRun) completed(p *plan) *inventory {
	next := &inventory{head: c.head(p), Spec: p.request.Spec, live: c.inventory.live}
	for _, i := range c.items {
		for _, entry := range i.announced() {
			if o := c.done[i]; o != nil && o.failure == nil && i.live != nil {
				entry.UID, entry.Hash, entry.LiveHash = string(i.live.GetUID()), i.hash, liveHash(i.live)
			}
			next.Objects = append(next.Objects, entry)
		}
	}
	for _, i := range c.leftovers {
		if o := c.done[i]; o == nil || !o.gone {
			next.Objects = append(next.Objects, i.entry)
		}
	}
	return next
}
