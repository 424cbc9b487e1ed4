package apply

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/occupants"
)

// removeOccupied deletes the Namespaces and definitions in which other placements have objects, as soon as these placements are removed. It then concludes the
// removal on the affected clusters, even if the wait timed out.
func (r *run) removeOccupied(ctx context.Context, run engine.SameRun) error {
	occupied := func() (clusters, placements []string) {
		for _, name := range r.plan.Names() {
			items := r.clusters[name].Occupied()
			if len(items) > 0 {
				clusters = append(clusters, name)
			}
			for _, i := range items {
				placements = append(placements, i.Occupants...)
			}
		}
		return clusters, placements
	}
	first, _ := occupied()
	left := first
	waiting := func() (placements []string) {
		left, placements = occupied()
		return placements
	}
	occupants.Await(ctx, run, waiting, func() {
		_ = r.set.Each(ctx, left, func(ctx context.Context, name string) error {
			r.clusters[name].retryOccupied(ctx)
			return nil
		})
	})
	return r.set.Each(ctx, first, func(ctx context.Context, name string) error { return r.clusters[name].concludeRemoval(ctx) })
}

// retryOccupied checks the occupied Namespaces and definitions again, and deletes those that no other placement occupies. If the cluster cannot be read, all of
// them remain occupied.
func (c *cluster) retryOccupied(ctx context.Context) {
	if c.lostError() != nil {
		return
	}
	if items, err := c.RetryOccupied(ctx); err == nil {
		c.prune(ctx, items)
	}
}
