package kubefleet

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	api "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// PreviewChange predicts how the change affects every existing placement on the hub. It skips placements with strategy External, because a hub does not change
// them until the next staged update run. It returns an error if an unknown part of the change may affect a placement. expected is what the plan showed; it is
// nil during a plan.
func (e *Engine) PreviewChange(ctx context.Context, change engine.World, expected engine.Expectations) ([]engine.Consequence, error) {
	if expected != nil { // an apply must not reuse the reads of its plan
		e.clusters.DropCaches()
	}
	ctx = kube.ShareReads(ctx)
	change, err := e.releasing(ctx, change)
	if err != nil {
		return nil, err
	}
	placements, err := e.existingPlacements(ctx)
	if err != nil {
		return nil, err
	}
	if unknown := change.Unknown(); len(unknown) > 0 &&
		slices.ContainsFunc(placements, func(p engine.Placement) bool { return predict.MayReach(p, change) }) {
		return nil, engine.UnknownChange(unknown)
	}
	name := func(p engine.Placement) string { return p.Reference.String() }
	found := clusterset.PreviewEach(placements, name, func(p engine.Placement) (*engine.Preview, error) {
		return predict.Change(ctx, e.clusters, p, engine.PreviewOptions{World: change, Expected: expected.Of(name(p)), Applying: expected != nil})
	})
	return found, clusterset.Ended(ctx)
}

// releasing returns the change with the removals as [Engine.DeleteMember] carries them out: a member that Azure has created remains, without the configured
// labels, annotations and taints.
func (e *Engine) releasing(ctx context.Context, change engine.World) (engine.World, error) {
	members := maps.Clone(change.Members)
	for name, planned := range members {
		if planned.Want != nil {
			continue
		}
		_, live, err := hub.Get[api.MemberCluster](ctx, e.clusters.Hub, hub.MemberCluster, "", name)
		if err != nil {
			return engine.World{}, err
		}
		if live != nil && convert.MadeByAzure(live) {
			planned.Want = &member.Spec{Name: name, AdoptExisting: new(true)}
			members[name] = planned
		}
	}
	change.Members = members
	return change, nil
}

// existingPlacements returns the placements of both scopes that are not being deleted and do not have the strategy External.
func (e *Engine) existingPlacements(ctx context.Context) ([]engine.Placement, error) {
	var out []engine.Placement
	for _, namespace := range []string{"", "any"} {
		kind := hub.KindsOf(engine.Reference{Namespace: namespace}).Placement
		found, err := hub.List[wire.ClusterResourcePlacement](ctx, e.clusters.Hub, kind, "", "")
		if _, missing := errors.AsType[*engine.NotServedError](err); missing {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			spec := convert.ToPlacementSpec(p.Spec)
			if p.DeletionTimestamp != nil || spec.Defaulted().Strategy.Type == placement.ExternalStrategy {
				continue
			}
			status := convert.PlacementStatus(p.Status, p.Spec.Policy)
			status.UID = string(p.UID)
			out = append(out, engine.Placement{Reference: engine.Reference{Namespace: p.Namespace, Name: p.Name}, Spec: spec, Prior: &status})
		}
	}
	slices.SortFunc(out, func(a, b engine.Placement) int { return strings.Compare(a.Reference.String(), b.Reference.String()) })
	return out, nil
}
