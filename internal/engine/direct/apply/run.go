package apply

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/plan"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberapply"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// closingTime is how long the inventories may take to be completed after the time for the apply has run out.
const closingTime = 20 * time.Second

// Options say how a plan is carried out.
type Options struct {
	engine.ApplyOptions
	// Version is the provider's, recorded as the tool that wrote an inventory.
	Version string
	Pace    Pace
	// RenameErrors are those of [Rename]; nil if no rename was necessary.
	RenameErrors RenameErrors
}

// Apply carries a plan out.
func Apply(ctx context.Context, clusters *clusterset.Set, p *plan.Plan, options Options) (*engine.Result, error) {
	r := newRun(clusters, p, options, engine.OperationApply)
	r.blockMisnamed()
	rollout, err := r.rollout()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := r.keepAlive(ctx, cancel)
	defer stop()
	step := rollout.Next()
	if err := r.writeAhead(ctx, r.first(step)); err != nil {
		return nil, err
	}
	rollout.Carry(ctx, step)
	result := &engine.Result{}
	// A new placement stays marked as being applied while it is waited for: Terraform does not know it until this function returns, and a
	// provider that is killed before must leave something that the next apply takes up.
	if options.Create {
		result.TimedOut = r.waitAvailable(ctx)
	}
	closing, end := context.WithTimeout(context.WithoutCancel(ctx), closingTime)
	defer end()
	stop()
	problems := errors.Join(r.blocked(), r.commit(closing))
	if !options.Create {
		result.TimedOut = r.waitAvailable(ctx)
	}
	result.TimedOut = result.TimedOut || ctx.Err() != nil && !isBusy(context.Cause(ctx))
	result.Status = r.status()
	result.Objects, result.Warnings = r.objects(), append(r.spared(), r.recordedAnew()...)
	return result, problems
}

// run is an apply that is under way.
type run struct {
	set     *clusterset.Set
	plan    *plan.Plan
	options Options
	// clusters are by name.
	clusters map[string]*cluster
}

// cluster is what comes of a cluster's plan: of its records here, of its objects in Run.
type cluster struct {
	*plan.Cluster
	*memberapply.Run
	hold
	plan    *plan.Plan
	version string
	// before is the inventory as it was before this apply; writtenAhead tells whether it was written since.
	before       *record.Inventory
	writtenAhead bool
	// entries are what the inventory is to have of objects before they are written, nothing for what it is not to have.
	entries map[*plan.Item]*record.Entry
	// versions are the resourceVersions of the objects in the record after a rename, "" for those that others have changed.
	versions []string
	// held is the condition of a cluster that the rollout has not come to.
	held *placement.Condition
	// blocked is why nothing may be written to the cluster though it answers: its inventory could not be.
	blocked error
}

func newRun(set *clusterset.Set, p *plan.Plan, options Options, operation engine.Operation) *run {
	r := &run{set: set, plan: p, options: options, clusters: map[string]*cluster{}}
	mark := record.NewUnderWay(operation, time.Now())
	for _, c := range p.Clusters {
		r.clusters[c.Name] = &cluster{
			Cluster: c, plan: p, version: options.Version, entries: map[*plan.Item]*record.Entry{}, Run: memberapply.New(c.Member, c.MeetOwner),
			hold: hold{mark: mark, pace: options.Pace},
		}
		r.clusters[c.Name].AwaitKinds(options.MayArrive)
	}
	return r
}

// problem is why the cluster's state is not known.
func (c *cluster) problem() error {
	if c.Err != nil {
		return c.Err
	}
	return c.Unreachable()
}

// waitAvailable looks at the availability of what was applied, again and again if asked to wait. It returns whether time ran out. Waiting
// costs little, so all clusters are waited for at once: a slow one does not keep others from being looked at.
func (r *run) waitAvailable(ctx context.Context) bool {
	var group errgroup.Group
	for _, c := range r.clusters {
		if c.problem() != nil {
			continue
		}
		c.Assess(plan.ObjectsOf(c.Items))
		if r.options.WaitUntilAvailable && c.Waits() {
			group.Go(func() error { return c.Await(ctx) })
		}
	}
	return group.Wait() != nil
}
