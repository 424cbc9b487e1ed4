package placementpreview

import (
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// notChecked is the action of an object from manifests_wo: the data source does not have its manifest.
const notChecked = "not_checked"

// writeOnlyObjects are the objects from manifests_wo by cluster.
type writeOnlyObjects map[string][]manifest.Identifier

// all are the objects of all clusters, each once.
func (w writeOnlyObjects) all() []manifest.Identifier {
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

// stillWriteOnly returns the recorded write-only manifests without the objects that the manifests now have. The preview is made with them, because
// an apply does not delete their objects.
func stillWriteOnly(recorded, manifests map[string]string) map[string]string {
	moved := engine.KeysOf(manifests)
	out := map[string]string{}
	for key, text := range recorded {
		objects, err := manifest.Parse(key, text)
		if err != nil {
			continue // nothing of it was placed
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

// withoutManifest returns a function that reports whether an object is one of the recorded ones and has no manifest in the placement.
func withoutManifest(recorded []manifest.Identifier, wanted engine.Placement) func(manifest.Identifier) bool {
	hasManifest := engine.IsFrom(wanted.AllManifests())
	return func(id manifest.Identifier) bool {
		return !hasManifest(id) && slices.ContainsFunc(recorded, func(other manifest.Identifier) bool { return other.Key() == id.Key() })
	}
}

// take moves the objects of write-only manifests out of the clusters of a preview that the placement picks. From the other clusters they are deleted, whatever
// their manifests are now.
func (w writeOnlyObjects) take(preview *engine.Preview, isWriteOnly func(manifest.Identifier) bool) {
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
