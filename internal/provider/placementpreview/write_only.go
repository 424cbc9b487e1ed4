package placementpreview

import (
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
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
	moved := keysOf(manifests)
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

// keysOf are the objects of manifests. What cannot be parsed was reported by ValidateConfig.
func keysOf(manifests map[string]string) map[manifest.Key]bool {
	out := map[manifest.Key]bool{}
	for key, text := range manifests {
		objects, err := manifest.Parse(key, text)
		if err != nil {
			continue
		}
		for _, o := range objects {
			out[o.Key()] = true
		}
	}
	return out
}

// isFrom returns a function that reports whether an object comes from manifests, also in an envelope.
func isFrom(manifests map[string]string) func(manifest.Identifier) bool {
	keys := keysOf(manifests)
	return func(id manifest.Identifier) bool {
		if e := id.Envelope; e != nil {
			kind := envelope.Type(e.Type).Kind()
			return keys[manifest.Key{Group: kind.Group, Kind: kind.Kind, Namespace: e.Namespace, Name: e.Name}]
		}
		return keys[id.Key()]
	}
}

// takeWriteOnly takes the objects of write-only manifests out of the clusters that the placement picks, and returns them. From the other clusters
// they are deleted, whatever their manifests are now.
func takeWriteOnly(preview *engine.Preview, writeOnly map[string]string) writeOnlyObjects {
	isWriteOnly := isFrom(writeOnly)
	out := writeOnlyObjects{}
	for i := range preview.Clusters {
		cluster := &preview.Clusters[i]
		if !cluster.Picked {
			continue
		}
		var checked []engine.ObjectPreview
		for _, o := range cluster.Objects {
			if isWriteOnly(o.Identifier) {
				out[cluster.Name] = append(out[cluster.Name], o.Identifier)
			} else {
				checked = append(checked, o)
			}
		}
		cluster.Objects = checked
	}
	return out
}

// maskWriteOnly returns a preview without the values of write-only manifests, which no state must have: the data source is in the state.
func maskWriteOnly(preview *engine.Preview, writeOnly map[string]string) *engine.Preview {
	isWriteOnly := isFrom(writeOnly)
	out := *preview
	out.Clusters = slices.Clone(preview.Clusters)
	for i := range out.Clusters {
		cluster := &out.Clusters[i]
		cluster.Objects = slices.Clone(cluster.Objects)
		for j := range cluster.Objects {
			if o := &cluster.Objects[j]; isWriteOnly(o.Identifier) {
				maskObject(o)
			}
		}
	}
	return &out
}

func maskObject(o *engine.ObjectPreview) {
	o.Rendered, o.Differences = nil, slices.Clone(o.Differences)
	for i := range o.Differences {
		o.Differences[i].InHub, o.Differences[i].InMember = diff.Redacted, diff.Redacted
	}
	o.ObservedDiffs, o.ObservedDrifts = maskDetails(o.ObservedDiffs), maskDetails(o.ObservedDrifts)
	if o.Obstacle == takeover.ObstacleAdmission { // an API server quotes values
		o.Problem, o.Message = diff.Redacted, diff.Redacted
	}
}

func maskDetails(in []placement.PatchDetail) []placement.PatchDetail {
	out := slices.Clone(in)
	for i := range out {
		out[i].ValueInHub, out[i].ValueInMember = diff.Redacted, diff.Redacted
	}
	return out
}
