package source

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
)

// Localized is the desired state of an object on one cluster.
type Localized struct {
	Object
	// From is the index of the source object in the content, or -1 if overrides have changed it.
	From int
}

// Localize applies a cluster's overrides to the objects. It also returns the overrides that apply to any of the objects, sorted. If one override cannot be
// applied, Localize returns only an error, as KubeFleet does, so that no placement is applied in part.
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

// Hidden returns the fields of an object on a cluster that are not shown: all fields of an object from write-only manifests, otherwise the fields that overrides
// set to sensitive values.
func (c *Content) Hidden(placement string, cluster override.Cluster, object manifest.Object, all ...override.Overrides) diff.Hidden {
	if c.IsWriteOnly(object.Identifier) {
		return HideContent(object)
	}
	return Hidden(placement, cluster, object.Identifier, all...)
}

// IsWriteOnly reports whether an object comes from write-only manifests.
func (c *Content) IsWriteOnly(id manifest.Identifier) bool {
	return c.isWriteOnly != nil && c.isWriteOnly(id)
}

// HideContent returns the fields to hide in an object whose content is secret: all except apiVersion, kind and metadata. Of the metadata, it returns the labels and
// annotations.
func HideContent(object manifest.Object) diff.Hidden {
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

// Hidden returns the fields of an object that overrides set to sensitive values on a cluster.
func Hidden(placement string, cluster override.Cluster, object manifest.Identifier, all ...override.Overrides) diff.Hidden {
	var fields []diff.HiddenField
	for _, overrides := range all {
		for _, value := range overrides.SensitiveValues(object, cluster, placement) {
			fields = append(fields, diff.HiddenField(value))
		}
	}
	return diff.NewHidden(fields...)
}

// Overridden returns the overrides that apply to any of the objects on a cluster, in the order of their names.
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
