package direct

import (
	"context"
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// DeletePlacement removes everything the inventories name: it deletes what the placement made and releases what was there before. The
// inventory goes last, so that a deletion that was interrupted can be taken up again.
func (e *Engine) DeletePlacement(ctx context.Context, request engine.PlacementRequest) (*engine.Result, error) {
	p := &plan{request: request, spec: request.Spec.Defaulted(), content: &content{}, removing: true}
	for _, v := range e.look(ctx, request) {
		p.clusters = append(p.clusters, newClusterPlan(v, p.outcome))
	}
	if err := ended(ctx); err != nil {
		return nil, err
	}
	r := newRun(e, p)
	err := e.onEach(ctx, p.clusterNames(), func(ctx context.Context, name string) error {
		return e.deleteOn(ctx, p, r.clusters[name])
	})
	return &engine.Result{Warnings: append(e.leftBehind(p), r.spared()...)}, err
}

// leftBehind tells of members that nothing could be removed from and that do not fail the deletion either.
func (e *Engine) leftBehind(p *plan) []string {
	var out []string
	for _, c := range p.clusters {
		_, configured := e.members[c.name]
		mentioned := p.request.Prior != nil && p.request.Prior.Clusters[c.name].Conditions != nil
		switch {
		case !configured && had(p.request.Prior, c.name):
			out = append(out, fmt.Sprintf("The provider has no connection to the member %q any more: the objects that "+
				"the placement %q has there were left behind, with its inventory %s/%s.", c.name, p.request.Name, Namespace, inventoryName(p.request.Name)))
		case configured && c.err != nil && mentioned && !had(p.request.Prior, c.name):
			out = append(out, fmt.Sprintf("The member %q could not be looked at, and is not known to have objects of the placement %q. If an apply "+
				"that was killed has left some there, they were left behind. %s", c.name, p.request.Name, c.err))
		}
	}
	return out
}

func (e *Engine) deleteOn(ctx context.Context, p *plan, c *clusterRun) error {
	if _, configured := e.members[c.name]; !configured {
		return nil
	}
	if c.err != nil {
		// A member that never had the placement has nothing to clean up, whether it answers or not.
		if !had(p.request.Prior, c.name) {
			return nil
		}
		return c.err
	}
	if c.inventory == nil {
		return nil
	}
	if err := c.examine(ctx, p); err != nil {
		return err
	}
	if c.err != nil {
		return c.err
	}
	if err := ended(ctx); err != nil {
		return err
	}
	c.removeLeftovers(ctx)
	failed := &engine.RemovalError{Cluster: c.name}
	for _, i := range c.leftovers {
		if o := c.done[i]; o == nil || o.failure != nil {
			condition := placement.Condition{Type: placement.Applied, Status: placement.Unknown}
			if o != nil {
				condition = *o.failure
			}
			failed.Objects = append(failed.Objects, placement.FailedPlacement{Identifier: i.Identifier, Condition: condition})
		}
	}
	if len(failed.Objects) > 0 {
		return failed
	}
	err := c.forget(ctx, p.request.Name)
	if kube.IsUnreachable(err) && ctx.Err() == nil {
		err = c.forget(ctx, p.request.Name) // the answer got lost, or the request did
	}
	return reached(c.name, err)
}
