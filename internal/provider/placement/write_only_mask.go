package placement

import (
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// KeysOf are the objects of manifests. What cannot be parsed was reported by ValidateConfig.
func KeysOf(manifests map[string]string) map[manifest.Key]bool {
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

// IsFrom returns a function that reports whether an object comes from manifests, also in an envelope.
func IsFrom(manifests map[string]string) func(manifest.Identifier) bool {
	keys := KeysOf(manifests)
	return func(id manifest.Identifier) bool {
		if e := id.Envelope; e != nil {
			kind := envelope.Type(e.Type).Kind()
			return keys[manifest.Key{Group: kind.Group, Kind: kind.Kind, Namespace: e.Namespace, Name: e.Name}]
		}
		return keys[id.Key()]
	}
}

// MaskWriteOnly returns a preview without the values of write-only manifests. What a plan shows is in its file and in the state, as a data source is, and neither
// may have these values.
func MaskWriteOnly(preview *engine.Preview, writeOnly map[string]string) *engine.Preview {
	if len(writeOnly) == 0 {
		return preview
	}
	isWriteOnly := IsFrom(writeOnly)
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

func maskDetails(in []domain.PatchDetail) []domain.PatchDetail {
	out := slices.Clone(in)
	for i := range out {
		out[i].ValueInHub, out[i].ValueInMember = diff.Redacted, diff.Redacted
	}
	return out
}
