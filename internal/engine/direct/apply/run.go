package apply

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/plan"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

const (
	// objectsAtOnce is how many objects of a wave are written to one cluster at once.
	objectsAtOnce = 8
	// closingTime is how long the inventories may take to be completed after the time for the apply has run out.
	closingTime = 20 * time.Second
)

// Apply carries a plan out.
func Apply(ctx context.Context, clusters *clusterset.Set, p *plan.Plan, options Options) (*engine.Result, error) {
	r := newRun(clusters, p, options)
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
	if options.Create {
		result.TimedOut = r.waitAvailable(ctx, options.WaitUntilAvailable)
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closingTime)
	defer cancel()
	problems := errors.Join(r.blocked(), r.complete(closing))
	if !options.Create {
		result.TimedOut = r.waitAvailable(ctx, options.WaitUntilAvailable)
	}
	result.TimedOut = result.TimedOut || ctx.Err() != nil
	result.Status = r.status()
	result.Warnings = r.spared()
	return result, problems
}

// Options say how a plan is carried out.
type Options struct {
	engine.ApplyOptions
	// Version is the provider's, recorded as the tool that wrote an inventory.
	Version string
}

// run is an apply that is under way.
type run struct {
	set     *clusterset.Set
	plan    *plan.Plan
	options Options
	// clusters are by name.
	clusters map[string]*cluster
}

func newRun(set *clusterset.Set, p *plan.Plan, options Options) *run {
	r := &run{set: set, plan: p, options: options, clusters: map[string]*cluster{}}
	for _, c := range p.Clusters {
		r.clusters[c.Name] = &cluster{Cluster: c, plan: p, version: options.Version, entries: map[*plan.Item]*record.Entry{}, done: map[*plan.Item]*outcome{}}
	}
	return r
}

// cluster is what comes of a cluster's plan.
type cluster struct {
	*plan.Cluster
	plan    *plan.Plan
	version string
	// before is the inventory as it was before this apply; announced tells whether it was written since.
	before    *record.Inventory
	announced bool
	// entries are what the inventory is to have of objects before they are written, nothing for what it is not to have.
	entries map[*plan.Item]*record.Entry
	// held is the condition of a cluster that the rollout has not come to.
	held *placement.Condition
	// blocked is why nothing may be written to the cluster though it answers: its inventory could not be.
	blocked error

	mu   sync.Mutex
	done map[*plan.Item]*outcome
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

// fall notes that the cluster has stopped answering.
func (c *cluster) fall(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fallen == nil {
		c.fallen = err
	}
}

// lost is why the cluster fell out, nil while it answers.
func (c *cluster) lost() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fallen
}

func (c *cluster) record(i *plan.Item, o *outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done[i] = o
}

// fail records that an object is not as it is to be, in a condition of a type.
func (c *cluster) fail(i *plan.Item, conditionType, reason, message string) {
	c.record(i, &outcome{failure: &placement.Condition{
		Type: conditionType, Status: placement.False, Reason: reason, Message: message, ObservedGeneration: generationOf(i),
	}})
}

// spared are the objects that were to be deleted, and stay because others depend on them.
func (r *run) spared() []string {
	var out []string
	for _, name := range r.plan.Names() {
		out = append(out, r.clusters[name].spared()...)
	}
	return out
}

func (c *cluster) spared() []string {
	var out []string
	for _, i := range c.Leftovers {
		if o := c.done[i]; o != nil && o.gone && i.Action == takeover.ActionOrphan && i.Obstacle == takeover.ObstacleContents {
			out = append(out, fmt.Sprintf("Cluster %q: %s.", c.Name, i.Message))
		}
	}
	return out
}
