package engine

import (
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// handOverUnchecked records the objects that are handed over on a cluster that could not be checked.
func (e *Expectation) handOverUnchecked(cluster ClusterPreview) {
	for _, object := range cluster.Objects {
		if object.Action != takeover.ActionHandOver {
			continue
		}
		if e.digest.HandedOver[cluster.Name] == nil {
			e.digest.HandedOver[cluster.Name] = map[string]string{}
		}
		e.digest.HandedOver[cluster.Name][object.Key().String()] = object.To
	}
}

// HandsOver returns the placement to which the plan hands an object over. It returns "" for an object that the plan does not hand over, and
// without an expectation.
func (e *Expectation) HandsOver(cluster string, object manifest.Key) (to string) {
	if e == nil {
		return ""
	}
	if planned, _ := e.entry(cluster, object); planned.act == actHandOver {
		return planned.mark
	}
	if to = e.digest.HandedOver[cluster][object.String()]; to != "" {
		return to
	}
	return e.also.HandsOver(cluster, object)
}

// Takers returns the placements to which the plan hands objects over, by name.
func (e *Expectation) Takers() []string {
	if e == nil {
		return nil
	}
	out := e.also.Takers()
	for _, entries := range e.digest.Clusters {
		for _, planned := range entries {
			if planned.act == actHandOver {
				out = append(out, planned.mark)
			}
		}
	}
	for _, objects := range e.digest.HandedOver {
		out = slices.AppendSeq(out, maps.Values(objects))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
