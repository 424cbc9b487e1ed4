package placement

import (
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// MaskWriteOnly returns a copy of the preview without the values of write-only manifests. The plan file contains what a plan shows, and the state
// contains data sources; neither may contain these values.
func MaskWriteOnly(preview *engine.Preview, writeOnly map[string]string) *engine.Preview {
	if len(writeOnly) == 0 {
		return preview
	}
	isWriteOnly := engine.IsFrom(writeOnly)
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
	if o.Obstacle.QuotesServer() {
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
