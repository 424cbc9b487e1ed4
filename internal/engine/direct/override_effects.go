package direct

import (
	"context"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/plan"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// PreviewOverrides compares the placements recorded on the members with and without the change. It omits placements whose objects do not differ. An override
// changes the objects of a placement only when the placement is applied.
func (e *Engine) PreviewOverrides(ctx context.Context, change engine.World) (engine.OverridePreview, error) {
	if unknown := change.Unknown(); len(unknown) > 0 {
		return engine.OverridePreview{}, engine.UnknownOverrides(unknown)
	}
	ctx = kube.ShareReads(kube.FailFast(ctx))
	recorded, err := e.listRecords(ctx, record.PlacementKind, engine.Filter{}, placementOf)
	if err != nil {
		return engine.OverridePreview{}, err
	}
	out := engine.OverridePreview{Missed: recorded.Missed}
	for _, reference := range recorded.Found {
		one := engine.OverriddenPlacement{Placement: reference.String()}
		if one.Clusters, one.Err = e.compareOverrides(ctx, engine.Placement{Reference: reference}, change); one.Err != nil || len(one.Clusters) > 0 {
			out.Placements = append(out.Placements, one)
		}
	}
	return out, nil
}

func (e *Engine) compareOverrides(ctx context.Context, p engine.Placement, change engine.World) ([]engine.OverriddenCluster, error) {
	survey := plan.ReadRecords(ctx, e.clusters, p)
	var digest placement.Digest
	known, _ := survey.Newest(digest)
	if known == nil || !slices.ContainsFunc(survey.Members, func(m *plan.MemberState) bool { return isAffected(m, change, p.Name) }) {
		return nil, nil
	}
	manifests, err := recordedManifests(ctx, known, survey, p, digest)
	if err != nil {
		return nil, err
	}
	p.Spec, p.Manifests, p.WriteOnly = known.Spec, manifests.Stored, manifests.WriteOnly
	content, err := source.Resolve(ctx, e.clusters, p, source.Options{})
	if err != nil {
		return nil, err
	}
	var out []engine.OverriddenCluster
	for _, m := range survey.Members {
		if m.Err != nil || m.Inventory == nil || m.Record == nil {
			continue
		}
		one := engine.OverriddenCluster{Name: m.Name}
		cluster := override.Cluster{Name: m.Name, Labels: m.Record.Labels}
		one.Objects, one.Err = content.Effects(e.clusters.Schema, p.Name, cluster, m.Overrides, change.Overridden(m.Overrides))
		if one.Err != nil || len(one.Objects) > 0 {
			out = append(out, one)
		}
	}
	return out, nil
}

// isAffected reports whether the change includes overrides that apply to the placement before or after the change.
func isAffected(m *plan.MemberState, change engine.World, placement string) bool {
	all := m.Overrides.With(change.Overridden(override.Overrides{})).For(placement)
	isChanged := func(reference override.Reference) bool {
		_, found := change.Overrides[reference]
		return found
	}
	return slices.ContainsFunc(all.Cluster, func(o override.ClusterResourceOverride) bool { return isChanged(override.Reference{Name: o.Name}) }) ||
		slices.ContainsFunc(all.Namespaced, func(o override.ResourceOverride) bool {
			return isChanged(override.Reference{Namespace: o.Namespace, Name: o.Name})
		})
}
