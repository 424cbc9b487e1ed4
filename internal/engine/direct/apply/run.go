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

// closingTime limits the last writes of an operation, which complete or restore its records even if the operation has timed out.
const closingTime = 20 * time.Second

// Options are the options to execute a plan.
type Options struct {
	engine.ApplyOptions
	// Version is the provider's version, for the tooling annotation of inventories.
	Version string
	Pace    Pace
	// RenameErrors are the errors of [Rename], or nil if no rename was necessary.
	RenameErrors RenameErrors
}

// Apply executes a plan.
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
	if err := r.writeAhead(ctx, r.firstClusters(step)); err != nil {
		return nil, err
	}
	rollout.Run(ctx, step)
	result := &engine.Result{}
	// A new placement keeps its lease while the apply waits until its objects are available. Terraform does not know the placement until this function returns.
	// If the provider is killed before that, the next apply returns an error because the placement exists. With the lease, this error can report that the first
	// apply did not finish.
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
	result.Objects, result.Warnings = r.objects(), append(r.retainedWarnings(), r.restoredRecords()...)
	return result, problems
}

type run struct {
	set      *clusterset.Set
	plan     *plan.Plan
	options  Options
	clusters map[string]*cluster
}

// cluster is the state of the operation on one cluster. Run has the results of the objects.
type cluster struct {
	*plan.Cluster
	*memberapply.Run
	hold
	plan    *plan.Plan
	version string
	// before is the inventory before this apply. writtenAhead reports whether this apply has written its own inventory.
	before       *record.Inventory
	writtenAhead bool
	// entries are the entries that are recorded before the objects are written. An item without an entry is not recorded.
	entries map[*plan.Item]*record.Entry
	// versions are the resourceVersions of the recorded objects after a rename, in the order of the inventory. The version is "" if the rename did not change
	// the object, or if another client may have changed the object since the last apply.
	versions []string
	// notStarted is the condition of a cluster that the rollout has not reached, or nil.
	notStarted *placement.Condition
	// blocked is the reason why nothing may be written to a reachable cluster: its inventory could not be written, or the rename failed.
	blocked error
	// isRemoved reports that a removal has removed the placement's record from the cluster, and that no unrecorded object of the placement can remain there.
	isRemoved bool
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

// problem returns why the cluster's state is unknown, or nil.
func (c *cluster) problem() error {
	if c.Err != nil {
		return c.Err
	}
	return c.Unreachable()
}

// waitAvailable checks the availability of the applied objects, and polls it if the options ask to wait. It waits for all clusters concurrently, because a wait
// costs little and a slow cluster must not delay the others. It reports whether the wait timed out. A wait that ends because another operation has taken over
// the placement has not timed out.
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
	return group.Wait() != nil && !isBusy(context.Cause(ctx))
}
