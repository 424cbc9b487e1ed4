package direct

import (
	"context"
	"errors"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// ReadPlacement reads what the members record of the placement, and its state. The newest record counts.
func (e *Engine) ReadPlacement(ctx context.Context, request engine.PlacementRequest) (*engine.Recorded, error) {
	views := e.look(ctx, request.Prior)
	var newest *inventory
	var from *view
	for _, v := range views {
		if known := v.inventories[request.Name]; known != nil && (newest == nil || known.Generation > newest.Generation) {
			newest, from = known, v
		}
	}
	if newest == nil {
		return e.unrecorded(ctx, request, views)
	}
	out := &engine.Recorded{Spec: newest.Spec, Complete: true}
	if newest.HasManifests {
		if textsHash(request.Manifests) == newest.ManifestsHash {
			out.Manifests = request.Manifests
		} else {
			secret, err := from.cluster.Get(ctx, secretKind, Namespace, inventoryName(request.Name))
			if err != nil {
				return nil, reached(from.name, err)
			}
			if out.Manifests, err = decodeManifests(secret); err != nil {
				return nil, err
			}
		}
	}
	request.Spec, request.Manifests = out.Spec, out.Manifests
	return e.observed(ctx, request, out)
}

// observed adds the status. A placement whose content cannot be told any more (its selectors have become invalid, say) keeps the status of
// the last time: a refresh must not stand in the way of mending or destroying it.
func (e *Engine) observed(ctx context.Context, request engine.PlacementRequest, out *engine.Recorded) (*engine.Recorded, error) {
	p, err := e.plan(ctx, request)
	if err == nil {
		out.Status = p.observe(e)
		return out, nil
	}
	var silent *engine.UnreachableError
	var replaced *engine.ClusterReplacedError
	if request.Prior == nil || errors.As(err, &silent) || errors.As(err, &replaced) {
		return nil, err
	}
	out.Status, out.Warning = *request.Prior, err.Error()
	return out, nil
}

// unrecorded decides about a placement that no member has a record of: it is gone only if every member that had it says so. One that
// is on no cluster leaves no record, and one whose members do not answer is not proven to be gone.
func (e *Engine) unrecorded(ctx context.Context, request engine.PlacementRequest, views []*view) (*engine.Recorded, error) {
	if request.Prior == nil {
		for _, v := range views {
			if v.err != nil {
				return nil, v.err
			}
		}
		return nil, engine.ErrNotFound
	}
	had := false
	for _, v := range views {
		if !isScheduled(request.Prior.Clusters[v.name]) {
			continue
		}
		had = true
		if v.err != nil {
			had = false
			break
		}
	}
	if had {
		return nil, engine.ErrNotFound
	}
	return e.observed(ctx, request, &engine.Recorded{Spec: request.Spec, Manifests: request.Manifests, Complete: true})
}

// DeletePlacement removes everything the inventories name: it deletes what the placement made and releases what was there before. The
// inventory goes last, so that a deletion that was interrupted can be taken up again.
func (e *Engine) DeletePlacement(ctx context.Context, request engine.PlacementRequest) (*engine.Result, error) {
	p := &plan{request: request, spec: request.Spec.Defaulted(), content: &content{}}
	result := &engine.Result{}
	views := e.look(ctx, request.Prior)
	for _, v := range views {
		p.clusters = append(p.clusters, newClusterPlan(v, p.outcome, request.Name))
	}
	err := e.onEach(ctx, p.clusterNames(), func(ctx context.Context, name string) error {
		return e.deleteOn(ctx, p, p.cluster(name))
	})
	for _, v := range views {
		if _, configured := e.members[v.name]; !configured {
			result.Warnings = append(result.Warnings, "The provider has no connection to the member \""+v.name+"\" any more: the objects that "+
				"the placement \""+request.Name+"\" has there were left behind, with its inventory "+Namespace+"/"+inventoryName(request.Name)+".")
		}
	}
	return result, err
}

func (e *Engine) deleteOn(ctx context.Context, p *plan, c *clusterPlan) error {
	if _, configured := e.members[c.name]; !configured {
		return nil
	}
	if c.err != nil {
		// A member that never had the placement has nothing to clean up, whether it answers or not.
		if p.request.Prior == nil || !isScheduled(p.request.Prior.Clusters[c.name]) {
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
	seen := &clusterRun{clusterPlan: c, done: map[*item]*outcome{}}
	seen.removeLeftovers(ctx)
	failed := &engine.RemovalError{Cluster: c.name}
	for _, i := range c.leftovers {
		if o := seen.done[i]; o != nil && o.failure != nil {
			failed.Objects = append(failed.Objects, placement.FailedPlacement{Identifier: i.Identifier, Condition: *o.failure})
		}
	}
	if len(failed.Objects) > 0 {
		return failed
	}
	err := c.forget(ctx, p.request.Name)
	if kube.IsNotFound(err) {
		return nil
	}
	return reached(c.name, err)
}
