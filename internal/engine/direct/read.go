package direct

import (
	"context"
	"errors"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// ReadPlacement reads what the members record of the placement, and its state. The newest record counts.
func (e *Engine) ReadPlacement(ctx context.Context, request engine.PlacementRequest) (*engine.Recorded, error) {
	ctx = kube.ShareReads(ctx)
	views := e.look(ctx, request)
	if err := ended(ctx); err != nil {
		return nil, err
	}
	what := saidBy(request)
	known, from := newest(views, what)
	if known == nil {
		return e.unrecorded(ctx, request, views)
	}
	if generation, _ := counted(request.Prior); known.Generation < generation {
		// What the last apply recorded is on a cluster that does not answer now. An older record would undo it.
		return e.observed(ctx, request, &engine.Recorded{Spec: request.Spec, Manifests: request.Manifests, Complete: true})
	}
	out := &engine.Recorded{Spec: known.Spec, Complete: true}
	var err error
	if out.Manifests, err = recordedManifests(ctx, known, from, request, what); err != nil {
		return nil, err
	}
	request.Spec, request.Manifests = out.Spec, out.Manifests
	return e.observed(ctx, request, out)
}

// recordedManifests returns the manifests that a placement was applied with.
func recordedManifests(ctx context.Context, known *inventory, from *view, request engine.PlacementRequest, what said) (map[string]string, error) {
	switch {
	case what.manifests == known.ManifestsHash:
		return request.Manifests, nil
	case !known.HasManifests:
		return nil, nil
	}
	secret, err := from.cluster.Get(ctx, secretKind, Namespace, inventoryName(known.Name))
	if kube.IsNotFound(err) && known.Applying && request.Prior != nil {
		return request.Manifests, nil // the apply was killed before it had kept them; the next one does
	}
	if err != nil {
		return nil, reached(from.name, err)
	}
	return decodeManifests(secret)
}

// observed adds the status. A placement whose content cannot be told any more (its selectors have become invalid, say) keeps the status of
// the last time: a refresh must not stand in the way of mending or destroying it.
func (e *Engine) observed(ctx context.Context, request engine.PlacementRequest, out *engine.Recorded) (*engine.Recorded, error) {
	p, err := e.plan(ctx, request, reading)
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
	gone := false
	for _, v := range views {
		if !had(request.Prior, v.name) {
			continue
		}
		if v.err != nil {
			gone = false
			break
		}
		gone = true
	}
	if gone {
		return nil, engine.ErrNotFound
	}
	return e.observed(ctx, request, &engine.Recorded{Spec: request.Spec, Manifests: request.Manifests, Complete: true})
}
