package engine

import (
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// handOverUnchecked records what is handed over on a cluster that could not be checked.
func (e *Expectation) handOverUnchecked(cluster ClusterPreview) {
	for _, object := range cluster.Objects {
		if object.Action != takeover.ActionHandOver {
			continue
		}
		if e.shown.HandedOver[cluster.Name] == nil {
			e.shown.HandedOver[cluster.Name] = map[string]string{}
		}
		e.shown.HandedOver[cluster.Name][object.Key().String()] = object.To
	}
}

// HandsOver returns the placement that the plan hands an object over to. It returns "" for an object that the plan does not hand over, and for no
// expectation.
func (e *Expectation) HandsOver(cluster string, object manifest.Key) (to string) {
	if e == nil {
		return ""
	}
	if shown, _ := e.entry(cluster, object); shown.act == handOver {
		return shown.mark
	}
	if to = e.shown.HandedOver[cluster][object.String()]; to != "" {
		return to
	}
	return e.also.HandsOver(cluster, object)
}

// Takers returns the placements that the plan hands objects over to, by name.
func (e *Expectation) Takers() []string {
	if e == nil {
		return nil
	}
	out := e.also.Takers()
	for _, entries := range e.shown.Clusters {
		for _, shown := range entries {
			if shown.act == handOver {
				out = append(out, shown.mark)
			}
		}
	}
	for _, objects := range e.shown.HandedOver {
		out = slices.AppendSeq(out, maps.Values(objects))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
