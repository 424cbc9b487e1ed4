package direct

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
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
	ctx = kube.ShareReads(ctx)
	p, err := e.plan(ctx, request, previewing)
	if err != nil {
		return nil, err
	}
	if err := e.fits(p); err != nil {
		return nil, err
	}
	return p.preview(), nil
}

// ApplyPlacement makes the preview again and carries it out.
func (e *Engine) ApplyPlacement(ctx context.Context, request engine.PlacementRequest) (*engine.Result, error) {
	p, err := e.plan(ctx, request, applying)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(p.mayStart(), e.fits(p)); err != nil {
		return nil, err
	}
	r := newRun(e, p)
	roll, err := r.newRoll()
	if err != nil {
		return nil, err
	}
	step, first := roll.first()
	if err := r.announce(ctx, first); err != nil {
		return nil, err
	}
	roll.carry(ctx, step)
	result := &engine.Result{}
	// A new placement stays marked as being applied while it is waited for: Terraform does not know it until this function returns, and a
	// provider that is killed before must leave something that the next apply takes up.
	if request.Create {
		result.TimedOut = r.waitAvailable(ctx, request.WaitUntilAvailable)
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closingTime)
	defer cancel()
	problems := errors.Join(r.blocked(), r.complete(closing))
	if !request.Create {
		result.TimedOut = r.waitAvailable(ctx, request.WaitUntilAvailable)
	}
	result.TimedOut = result.TimedOut || ctx.Err() != nil
	result.Status = r.status()
	result.Warnings = r.spared()
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
	clusters map[string]*clusterRun
}

func newRun(e *Engine, p *plan) *run {
	r := &run{engine: e, plan: p, clusters: map[string]*clusterRun{}}
	for _, c := range p.clusters {
		r.clusters[c.name] = &clusterRun{clusterPlan: c, done: map[*item]*outcome{}}
	}
	return r
}

// clusterRun is what came of a cluster's plan.
type clusterRun struct {
	*clusterPlan
	// before is the inventory as it was before this apply; announced tells whether it was written since.
	before    *inventory
	announced bool
	// held is why the rollout has not come to the cluster, if it has not.
	held string
	// blocked is why nothing may be written to the cluster though it answers: its inventory could not be.
	blocked error

	mu   sync.Mutex
	done map[*item]*outcome
	// fallen is why the cluster fell out while it was worked on.
	fallen error
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
func (c *clusterPlan) touched(p *plan) bool {
	if c.err != nil || c.overrideErr != nil {
		return false
	}
	return c.resume(p) || slices.ContainsFunc(c.all(), func(i *item) bool { return i.Action.Pending() })
}

// fall notes that the cluster has stopped answering.
func (c *clusterRun) fall(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fallen == nil {
		c.fallen = err
	}
}

// lost is why the cluster fell out, nil while it answers.
func (c *clusterRun) lost() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fallen
}

func (c *clusterRun) record(i *item, o *outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done[i] = o
}

// fail records that an object is not as it is to be.
func (c *clusterRun) fail(i *item, reason, message string) {
	c.record(i, &outcome{failure: &placement.Condition{
		Type: placement.Applied, Status: placement.False, Reason: reason, Message: message, ObservedGeneration: generationOf(i),
	}})
}

// spared are the objects that were to be deleted, and stay because others depend on them.
func (r *run) spared() []string {
	var out []string
	for _, name := range r.plan.clusterNames() {
		out = append(out, r.clusters[name].spared()...)
	}
	return out
}

func (c *clusterRun) spared() []string {
	var out []string
	for _, i := range c.leftovers {
		if o := c.done[i]; o != nil && o.gone && i.Action == engine.ActionRelease && i.Message != "" {
			out = append(out, fmt.Sprintf("Cluster %q: %s.", c.name, i.Message))
		}
	}
	return out
}
