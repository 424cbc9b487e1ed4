package source

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

// Effects returns the objects that the overrides in before and the overrides in after change differently on a cluster. If the overrides in before cannot be
// applied, they count as none.
func (c *Content) Effects(
	schema diff.Schema, placement string, cluster override.Cluster, before, after override.Overrides,
) ([]engine.OverriddenObject, error) {
	afterObjects, _, err := c.Localize(placement, cluster, after)
	if err != nil {
		return nil, err
	}
	beforeObjects, _, err := c.Localize(placement, cluster, before)
	if err != nil {
		if beforeObjects, _, err = c.Localize(placement, cluster, override.Overrides{}); err != nil {
			return nil, err
		}
	}
	var out []engine.OverriddenObject
	for _, o := range c.Objects {
		one := engine.OverriddenObject{Identifier: o.Identifier}
		old, next := findObject(beforeObjects, o.Key()), findObject(afterObjects, o.Key())
		switch {
		case old == nil && next == nil:
			continue
		case next == nil:
			one.LeftOut = true
		case old == nil:
			one.Placed = true
		case old.Hash == next.Hash:
			continue
		default:
			hidden := c.Hidden(placement, cluster, o.Object, before, after)
			desired, live := withoutReplacedData(next.Content), withoutReplacedData(old.Content)
			if equality.Semantic.DeepEqual(desired.Object, live.Object) {
				continue // an API server stores the same object
			}
			one.Differences = hidden.Differences(diff.Written(schema, desired, live).All())
		}
		out = append(out, one)
	}
	return out, nil
}

func findObject(objects []Localized, key manifest.Key) *Localized {
	if i := slices.IndexFunc(objects, func(o Localized) bool { return o.Key() == key }); i >= 0 {
		return &objects[i]
	}
	return nil
}
