package consequences

import (
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// beyond returns the objects that are taken over, deleted or recreated, except those for which other shows the same.
func beyond(found, other []engine.Consequence) []engine.Consequence {
	return filtered(found, func(c engine.Consequence) (*engine.Preview, func(engine.ObjectPreview) bool) {
		if i := index(other, c.Placement); i >= 0 && other[i].Err == nil {
			return c.Preview.Beyond(other[i].Preview), disturbs
		}
		return c.Preview, disturbs
	})
}

// withoutLeaving leaves out what is deleted of placements that the run destroys. What they take over remains: nothing makes Terraform destroy a placement
// before an override on which it depends without a reference.
func withoutLeaving(shared *session.Session, found []engine.Consequence) []engine.Consequence {
	staying := slices.DeleteFunc(slices.Clone(found), func(c engine.Consequence) bool { return shared.IsGoing(c.Placement) })
	leaving := slices.DeleteFunc(slices.Clone(found), func(c engine.Consequence) bool { return !shared.IsGoing(c.Placement) })
	return append(staying, filtered(leaving, func(c engine.Consequence) (*engine.Preview, func(engine.ObjectPreview) bool) {
		return c.Preview, func(o engine.ObjectPreview) bool { return o.Action == takeover.ActionTakeOver }
	})...)
}

// filtered returns only the objects that the rule of a placement keeps, and leaves out placements without any.
func filtered(
	found []engine.Consequence, rule func(engine.Consequence) (*engine.Preview, func(engine.ObjectPreview) bool),
) (out []engine.Consequence) {
	for _, c := range found {
		if c.Err != nil {
			continue
		}
		preview, keep := rule(c)
		kept := *preview
		kept.Clusters = nil
		for _, cluster := range preview.Clusters {
			cluster.Objects = slices.DeleteFunc(slices.Clone(cluster.Objects), func(o engine.ObjectPreview) bool { return !keep(o) })
			if len(cluster.Objects) > 0 {
				kept.Clusters = append(kept.Clusters, cluster)
			}
		}
		if len(kept.Clusters) > 0 {
			out = append(out, engine.Consequence{Placement: c.Placement, Preview: &kept})
		}
	}
	return out
}

// disturbs reports whether the hub takes over, deletes or recreates the object.
func disturbs(o engine.ObjectPreview) bool {
	return slices.Contains([]takeover.Action{takeover.ActionTakeOver, takeover.ActionReplace, takeover.ActionPrune, takeover.ActionUnknown}, o.Action)
}

// undone returns the deletion of those objects that the removal of a resource makes the hub create and that its replacement does not place: between the two,
// the hub creates them. An object that the removal makes it take over is not among them: the plan does not show its deletion.
func undone(removed, whole []engine.Consequence) []engine.Consequence {
	created := filtered(removed, func(c engine.Consequence) (*engine.Preview, func(engine.ObjectPreview) bool) {
		preview := c.Preview
		if i := index(whole, c.Placement); i >= 0 && whole[i].Err == nil {
			preview = preview.Beyond(whole[i].Preview)
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

// merge adds the objects of more that found does not have yet.
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
