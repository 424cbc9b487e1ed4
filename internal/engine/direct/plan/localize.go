package plan

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

// localize returns the objects as they are to be on this cluster, by the overrides that its own records have, and whether any was changed.
// One override that cannot be applied stops the cluster, as upstream: half of a placement is not what anybody asked for.
func (c *Cluster) localize(objects []prepared) (out []prepared, overridden bool, err error) {
	cluster := override.Cluster{Name: c.Name}
	if c.Record != nil {
		cluster.Labels = c.Record.Labels
	}
	for _, object := range objects {
		applicable, err := override.Applicable(c.Overrides, object.Identifier, cluster, c.plan.Placement.Name)
		if err != nil {
			return nil, overridden, err
		}
		if len(applicable) == 0 {
			out = append(out, object)
			continue
		}
		result, err := override.Apply(object.Object.Object, cluster, applicable)
		if err != nil {
			return nil, overridden, err
		}
		overridden = true
		if !result.Deleted {
			out = append(out, prepare(c.plan.Placement.Name, source.NewObject(result.Object)))
		}
	}
	return out, overridden, nil
}
