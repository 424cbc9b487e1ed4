package direct

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

// addOverride takes an override record of the member into the view.
func (v *view) addOverride(u *unstructured.Unstructured) error {
	record, err := decodeOverride(u)
	if err != nil {
		return err
	}
	if record.Cluster != nil {
		v.overrides.Cluster = append(v.overrides.Cluster, override.ClusterResourceOverride{Name: record.Name, Spec: *record.Cluster})
	}
	if record.Namespaced != nil {
		v.overrides.Namespaced = append(v.overrides.Namespaced, override.ResourceOverride{
			Namespace: record.Namespace, Name: record.Name, Spec: *record.Namespaced,
		})
	}
	return nil
}

// localize returns the objects as they are to be on this cluster, by the overrides that its own records have. One override that cannot be
// applied stops the cluster, as upstream: half of a placement is not what anybody asked for.
func (c *clusterPlan) localize(placementName string, objects []placed) ([]placed, error) {
	cluster := override.Cluster{Name: c.name}
	if c.record != nil {
		cluster.Labels = c.record.Labels
	}
	var out []placed
	for _, object := range objects {
		applicable, err := override.Applicable(c.overrides, object.Identifier, cluster, placementName)
		if err != nil {
			return nil, err
		}
		if len(applicable) == 0 {
			out = append(out, object)
			continue
		}
		result, err := override.Apply(object.Object, cluster, applicable)
		if err != nil {
			return nil, err
		}
		c.overridden = true
		if !result.Deleted {
			out = append(out, newPlaced(placementName, result.Object))
		}
	}
	return out, nil
}
