package apply

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/plan"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
)

// AwaitOthers watches the records with the lease of another operation; see [plan.Plan.Others]. If a lease is renewed or removed, AwaitOthers returns an error
// immediately. If a lease is not renewed within pace.Dead, the other operation counts as killed. AwaitOthers adds the IDs of the leases of killed operations to
// dead, and does not wait for leases that are already in dead. It reports whether it has waited. If it has, the plan is outdated.
//
// AwaitOthers measures pace.Dead by the clock of this process, and does not compare this clock with the times in the leases.
func AwaitOthers(ctx context.Context, clusters *clusterset.Set, p *plan.Plan, pace Pace, dead map[string]bool) (waited bool, err error) {
	var names []string
	found := map[string]bool{}
	for _, c := range p.Others() {
		if !dead[c.Inventory.Lease.ID] {
			names = append(names, c.Name)
			found[c.Inventory.Lease.ID] = true
		}
	}
	if len(names) == 0 {
		return false, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err = clusters.Each(ctx, names, func(ctx context.Context, name string) error {
		err := watchOther(ctx, p.Cluster(name), p.Placement.Name, pace)
		if err != nil {
			cancel()
		}
		return err
	})
	if alive, is := errors.AsType[*engine.BusyError](err); is {
		return true, alive
	}
	for id := range found {
		dead[id] = true
	}
	return true, err
}

// watchOther watches the lease in the record of a cluster for pace.Dead. It returns an error if the lease changes or disappears.
func watchOther(ctx context.Context, c *plan.Cluster, placement string, pace Pace) error {
	before := *c.Inventory.Lease
	until := time.Now().Add(pace.Dead)
	err := wait.PollUntilContextCancel(ctx, pace.Renew/3, true, func(ctx context.Context) (bool, error) {
		busy := &engine.BusyError{Placement: placement, Cluster: c.Name, InProgress: c.InProgress()}
		live, err := record.Find(ctx, c.Client, record.ConfigMapKind, record.InventoryName(c.Inventory.Name))
		if err == nil {
			var now *record.Lease
			if live != nil {
				now = record.LeaseOf(live)
			}
			if now == nil { // the other operation has ended
				return false, busy
			}
			if now.ID != before.ID || !now.Renewed.Equal(before.Renewed) {
				busy.InProgress = c.Marked(now)
				return false, busy
			}
		}
		// Errors are ignored here: the next step fails on an unreachable cluster.
		return !time.Now().Before(until), nil
	})
	return err
}
