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

// AwaitOthers looks at the records that say that another operation is under way: one that is renewed is alive, which is an error at once; one
// that is not for the time that the pace gives it was killed, and its placement can be taken up where it was left. dead gets the IDs of those;
// it returns whether it has waited for any, so that what was planned before is outdated.
//
// The time is taken by this process's clock alone: what the clocks of others say is not compared with it.
func AwaitOthers(ctx context.Context, clusters *clusterset.Set, p *plan.Plan, pace Pace, dead map[string]bool) (waited bool, err error) {
	var names []string
	found := map[string]bool{}
	for _, c := range p.Others() {
		if !dead[c.Inventory.UnderWay.ID] {
			names = append(names, c.Name)
			found[c.Inventory.UnderWay.ID] = true
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

// watchOther is an error if the record of a cluster changes within the time that an operation may be silent.
func watchOther(ctx context.Context, c *plan.Cluster, placement string, pace Pace) error {
	before := *c.Inventory.UnderWay
	until := time.Now().Add(pace.Dead)
	err := wait.PollUntilContextCancel(ctx, pace.Renew/3, true, func(ctx context.Context) (bool, error) {
		busy := &engine.BusyError{Placement: placement, Cluster: c.Name, UnderWay: c.UnderWay()}
		live, err := record.Find(ctx, c.Client, record.ConfigMapKind, record.InventoryName(c.Inventory.Name))
		if err == nil {
			var now *record.UnderWay
			if live != nil {
				now = record.UnderWayOf(live)
			}
			if now == nil { // the other one has ended
				return false, busy
			}
			if now.ID != before.ID || !now.Renewed.Equal(before.Renewed) {
				busy.UnderWay = c.Marked(now)
				return false, busy
			}
		}
		// A cluster that does not answer tells nothing; what follows fails there.
		return !time.Now().Before(until), nil
	})
	return err
}
