package consequences

import (
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// subtract returns the objects in found that are taken over, deleted, recreated or not checked. It omits the objects that other shows in the same way.
func subtract(found, other []engine.Consequence) []engine.Consequence {
	return filterObjects(found, func(c engine.Consequence) (*engine.Preview, func(engine.ObjectPreview) bool) {
		if i := index(other, c.Placement); i >= 0 && other[i].Err == nil {
			return c.Preview.Beyond(other[i].Preview), isDisruptive
		}
		return c.Preview, isDisruptive
	})
}

// excludeDestroyed omits the placements that the run destroys, but keeps their takeovers: Terraform may destroy a placement after the change if the placement
// does not refer to the changed resource.
func excludeDestroyed(shared *session.Session, found []engine.Consequence) []engine.Consequence {
	remaining := slices.DeleteFunc(slices.Clone(found), func(c engine.Consequence) bool { return shared.IsDestroyed(c.Placement) })
	destroyed := slices.DeleteFunc(slices.Clone(found), func(c engine.Consequence) bool { return !shared.IsDestroyed(c.Placement) })
	return append(remaining, filterObjects(destroyed, func(c engine.Consequence) (*engine.Preview, func(engine.ObjectPreview) bool) {
		return c.Preview, func(o engine.ObjectPreview) bool { return o.Action == takeover.ActionTakeOver }
	})...)
}

// filterObjects returns the objects that rule keeps. For each placement, rule returns the preview with the objects, and a function that reports whether to keep
// an object. filterObjects omits clusters and placements without such objects, and placements that could not be previewed.
func filterObjects(
	found []engine.Consequence, rule func(engine.Consequence) (*engine.Preview, func(engine.ObjectPreview) bool),
) (out []engine.Consequence) {
	for _, c := range found {
		if c.Err != nil {
			continue
		}
		preview, keep := rule(c)
		filtered := *preview
		filtered.Clusters = nil
		for _, cluster := range preview.Clusters {
			cluster.Objects = slices.DeleteFunc(slices.Clone(cluster.Objects), func(o engine.ObjectPreview) bool { return !keep(o) })
			if len(cluster.Objects) > 0 {
				filtered.Clusters = append(filtered.Clusters, cluster)
			}
		}
		if len(filtered.Clusters) > 0 {
			out = append(out, engine.Consequence{Placement: c.Placement, Preview: &filtered})
		}
	}
	return out
}

func isDisruptive(o engine.ObjectPreview) bool {
	return slices.Contains([]takeover.Action{takeover.ActionTakeOver, takeover.ActionReplace, takeover.ActionPrune, takeover.ActionUnknown}, o.Action)
}

// listTransientDeletions returns the deletions of objects that the hub creates after the removal of a resource and before its replacement, and that
// the replacement does not place. It omits objects that the hub takes over in between: the agreement does not allow their deletion, because the plan does not
// show it.
func listTransientDeletions(removed, combined []engine.Consequence) []engine.Consequence {
	created := filterObjects(removed, func(c engine.Consequence) (*engine.Preview, func(engine.ObjectPreview) bool) {
		preview := c.Preview
		if i := index(combined, c.Placement); i >= 0 && combined[i].Err == nil {
			preview = preview.Beyond(combined[i].Preview)
		}
		return preview, func(o engine.ObjectPreview) bool { return o.Action == takeover.ActionCreate }
	})
	for _, c := range created {
		for i, cluster := range c.Preview.Clusters {
			for j, o := range cluster.Objects {
				c.Preview.Clusters[i].Objects[j] = engine.ObjectPreview{Identifier: o.Identifier, Action: takeover.ActionPrune, Exists: true, Owned: true}
			}
		}
	}
	return created
}

func merge(found, more []engine.Consequence) []engine.Consequence {
	out := slices.Clone(found)
	for _, c := range more {
		i := index(out, c.Placement)
		switch {
		case i < 0:
			out = append(out, c)
		case out[i].Err == nil && c.Err == nil:
			merged := *out[i].Preview
			merged.Clusters = mergeClusters(merged.Clusters, c.Preview.Clusters)
			out[i].Preview = &merged
		}
	}
	return out
}

func mergeClusters(found, more []engine.ClusterPreview) []engine.ClusterPreview {
	out := slices.Clone(found)
	for _, cluster := range more {
		i := slices.IndexFunc(out, func(c engine.ClusterPreview) bool { return c.Name == cluster.Name })
		if i < 0 {
			out = append(out, cluster)
			continue
		}
		if out[i].Err == nil {
			out[i].Err = cluster.Err
		}
		out[i].Objects = slices.Clone(out[i].Objects)
		for _, o := range cluster.Objects {
			if !slices.ContainsFunc(out[i].Objects, func(known engine.ObjectPreview) bool { return known.Key() == o.Key() }) {
				out[i].Objects = append(out[i].Objects, o)
			}
		}
	}
	return out
}

func index(found []engine.Consequence, placement string) int {
	return slices.IndexFunc(found, func(c engine.Consequence) bool { return c.Placement == placement })
}
