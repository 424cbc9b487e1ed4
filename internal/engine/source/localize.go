package source

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

// Localized is an object as it is to be on one cluster.
type Localized struct {
	Object
	// From is the index of the object in the content that it was made of, or -1 if overrides have changed it.
	From int
}

// Localize returns the objects as they are to be on a cluster by its overrides, and the overrides that apply to any, by namespace and name.
// One that cannot be applied stops the cluster, as upstream: half of a placement is not what anybody asked for.
func (c *Content) Localize(
	placement string, cluster override.Cluster, overrides override.Overrides,
) (out []Localized, applied []override.Reference, err error) {
	for i, object := range c.Objects {
		applicable, err := override.Applicable(overrides, object.Identifier, cluster, placement)
		if err != nil {
			return nil, nil, err
		}
		if len(applicable) == 0 {
			out = append(out, Localized{Object: object, From: i})
			continue
		}
		result, err := override.Apply(object.Object, cluster, applicable)
		if err != nil {
			return nil, nil, err
		}
		for _, o := range applicable {
			applied = append(applied, o.Reference)
		}
		if !result.Deleted {
			out = append(out, Localized{Object: NewObject(result.Object), From: -1})
		}
	}
	return out, sortedReferences(applied), nil
}

// Hidden returns the fields that are not shown of an object on a cluster: all of one from write-only manifests, and those of sensitive values.
func (c *Content) Hidden(placement string, cluster override.Cluster, object manifest.Object, all ...override.Overrides) diff.Hidden {
	if c.isWriteOnly != nil && c.isWriteOnly(object.Identifier) {
		return Whole(object)
	}
	return Hidden(placement, cluster, object.Identifier, all...)
}

// Whole hides all of an object but what identifies it.
func Whole(object manifest.Object) diff.Hidden {
	values := maps.Clone(object.Content.Object)
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		delete(values, name)
	}
	for _, name := range []string{"labels", "annotations"} {
		if value, found, _ := unstructured.NestedFieldNoCopy(object.Content.Object, "metadata", name); found {
			values["metadata."+name] = value
		}
	}
	return diff.NewHidden(diff.HiddenField{Value: values})
}

// Hidden returns the fields of sensitive values that overrides give an object on a cluster.
func Hidden(placement string, cluster override.Cluster, object manifest.Identifier, all ...override.Overrides) diff.Hidden {
	var fields []diff.HiddenField
	for _, overrides := range all {
		for _, value := range overrides.SensitiveValues(object, cluster, placement) {
			fields = append(fields, diff.HiddenField(value))
		}
	}
	return diff.NewHidden(fields...)
}

// Overridden are the overrides that a cluster is to have for any of the objects, in the order of their names.
func (c *Content) Overridden(placement string, cluster override.Cluster, overrides override.Overrides) ([]override.Reference, error) {
	var out []override.Reference
	for _, object := range c.Objects {
		applicable, err := override.Applicable(overrides, object.Identifier, cluster, placement)
		if err != nil {
			return nil, err
		}
		for _, o := range applicable {
			out = append(out, o.Reference)
		}
	}
	return sortedReferences(out), nil
}

func sortedReferences(references []override.Reference) []override.Reference {
	slices.SortFunc(references, override.Reference.Compare)
	return slices.Compact(references)
}
