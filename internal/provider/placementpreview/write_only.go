package placementpreview

import (
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// notChecked is the action of an object from manifests_wo, whose manifest the data source does not have.
const notChecked = "not_checked"

type writeOnlyObjects map[string][]manifest.Identifier

func (w writeOnlyObjects) listAll() []manifest.Identifier {
	seen := map[manifest.Key]bool{}
	var out []manifest.Identifier
	for _, objects := range w {
		for _, id := range objects {
			if !seen[id.Key()] {
				seen[id.Key()] = true
				out = append(out, id)
			}
		}
	}
	slices.SortFunc(out, func(a, b manifest.Identifier) int { return a.Key().Compare(b.Key()) })
	return out
}

// filterWriteOnly returns the recorded write-only manifests without the objects that are now in manifests. The preview includes the returned manifests, because
// an apply does not delete the objects in them.
func filterWriteOnly(recorded, manifests map[string]string) map[string]string {
	moved := engine.KeysOf(manifests)
	out := map[string]string{}
	for key, text := range recorded {
		objects, err := manifest.Parse(key, text)
		if err != nil {
			continue // no object of this text was placed
		}
		left := slices.DeleteFunc(slices.Clone(objects), func(o manifest.Object) bool { return moved[o.Key()] })
		if len(left) == len(objects) {
			out[key] = text
			continue
		}
		texts, err := manifest.Texts(key, left)
		if err != nil {
			continue
		}
		for name, text := range texts {
			out[key+"/"+name] = text
		}
	}
	return out
}

// withoutManifest returns a function that reports whether an object is in recorded and has no manifest in the desired placement.
func withoutManifest(recorded []manifest.Identifier, desired engine.Placement) func(manifest.Identifier) bool {
	hasManifest := engine.IsFrom(desired.AllManifests())
	return func(id manifest.Identifier) bool {
		return !hasManifest(id) && slices.ContainsFunc(recorded, func(other manifest.Identifier) bool { return other.Key() == id.Key() })
	}
}

// extract moves the objects of write-only manifests from the preview's picked clusters to w. On the other clusters the objects are deleted, whatever
// their manifests are.
func (w writeOnlyObjects) extract(preview *engine.Preview, isWriteOnly func(manifest.Identifier) bool) {
	for i := range preview.Clusters {
		cluster := &preview.Clusters[i]
		if !cluster.Picked {
			continue
		}
		var checked []engine.ObjectPreview
		for _, o := range cluster.Objects {
			if isWriteOnly(o.Identifier) {
				w[cluster.Name] = append(w[cluster.Name], o.Identifier)
			} else {
				checked = append(checked, o)
			}
		}
		cluster.Objects = checked
	}
}
