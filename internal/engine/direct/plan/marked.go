package plan

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Selector is the label that a placement's objects carry, as kubectl takes it.
func Selector(placementName string) string {
	return applyset.PartOfLabel + "=" + record.ApplySetID(placementName)
}

// Marked finds what carries the placement's label on a cluster whose record of it is gone, among the kinds that were placed the last time. What
// cannot be looked at is not in it.
func Marked(ctx context.Context, cluster *kube.Cluster, p engine.Placement) []manifest.Identifier {
	if p.Prior == nil {
		return nil
	}
	var out []manifest.Identifier
	asked := map[string]bool{}
	for _, selected := range p.Prior.SelectedResources {
		gvk := selected.GroupVersionKind()
		if asked[gvk.String()] {
			continue
		}
		asked[gvk.String()] = true
		found, err := cluster.List(ctx, gvk, "", Selector(p.Name))
		if err != nil {
			continue // a kind that is not served any more, or that this account may not list
		}
		for _, u := range found {
			out = append(out, manifest.Identifier{
				Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind, Namespace: u.GetNamespace(), Name: u.GetName(),
			})
		}
	}
	return out
}
