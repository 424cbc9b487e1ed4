package kubefleet

import (
	"context"
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	cluster "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// sensitiveValues determines which values of the objects of a placement are marked as sensitive by overrides.
type sensitiveValues struct {
	placement string
	overrides override.Overrides
	labels    map[string]map[string]string
}

// readSensitive reads all overrides and the labels of all members from the hub. It returns nil if p cannot quote values of overrides, or if no override marks a
// value as sensitive.
func (e *Engine) readSensitive(ctx context.Context, of engine.Reference, p progress) (*sensitiveValues, error) {
	if !p.mayQuote() {
		return nil, nil
	}
	overrides, err := hub.Overrides(ctx, e.clusters.Hub, true)
	if err != nil || !overrides.HaveSensitive() {
		return nil, err
	}
	members, err := hub.List[cluster.MemberCluster](ctx, e.clusters.Hub, hub.MemberCluster, "", "")
	if err != nil {
		return nil, err
	}
	out := &sensitiveValues{placement: of.String(), overrides: overrides, labels: map[string]map[string]string{}}
	for _, member := range members {
		out.labels[member.Name] = member.Labels
	}
	return out, nil
}

// mayQuote reports whether the status or the agents' reports may quote values of overrides: an override failed on a cluster, or a cluster with overrides has
// objects that failed, drifted or differ.
func (p progress) mayQuote() bool {
	for name, c := range p.status.Clusters {
		overridden, found := c.Condition(placement.Overridden)
		if found && overridden.Status == placement.False {
			return true
		}
		objects := len(c.FailedPlacements) + len(c.DriftedPlacements) + len(c.DiffedPlacements) + len(p.reports[name].failed)
		if len(c.ApplicableClusterResourceOverrides)+len(c.ApplicableResourceOverrides) > 0 && objects > 0 {
			return true
		}
	}
	return false
}

func (s *sensitiveValues) hide(member string, object manifest.Identifier) diff.Hidden {
	return source.Hidden(s.placement, override.Cluster{Name: member, Labels: s.labels[member]}, object, s.overrides)
}

// conceal returns p without the values that overrides mark as sensitive. A hub shows these values to everyone who may read the placement on the hub. If the
// overrides or the labels of the members cannot be read, conceal withholds every value and every message that may quote an object, and lists them in
// p.withheld.
func (e *Engine) conceal(ctx context.Context, of engine.Reference, p progress) progress {
	values, err := e.readSensitive(ctx, of, p)
	switch {
	case err != nil:
		before := p
		p.status = convert.Withhold(p.status)
		p.reports = eachReport(p.reports, func(_ string, failed placement.FailedPlacement) placement.FailedPlacement {
			return convert.WithholdFailure(failed)
		})
		if about := withheldFrom(before, p); len(about) > 0 {
			p.withheld = &engine.Withheld{About: about, Err: err}
		}
	case values != nil:
		p.status = convert.Conceal(p.status, values.hide)
		p.reports = eachReport(p.reports, func(member string, failed placement.FailedPlacement) placement.FailedPlacement {
			failed.Condition.Message = values.hide(member, failed.Identifier).Text(failed.Condition.Message)
			return failed
		})
	}
	return p
}

func eachReport(in map[string]report, change func(member string, failed placement.FailedPlacement) placement.FailedPlacement) map[string]report {
	out := map[string]report{}
	for member, r := range in {
		failed := make([]placement.FailedPlacement, len(r.failed))
		for i, f := range r.failed {
			failed[i] = change(member, f)
		}
		r.failed, out[member] = failed, r
	}
	return out
}

// withheldFrom returns the clusters and objects whose values or messages in left differ from those in whole.
func withheldFrom(whole, left progress) []engine.Reported {
	var out []engine.Reported
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(whole.status.Clusters)) {
		note := func(object *manifest.Identifier, withheld bool) {
			one := engine.Reported{Cluster: name, Object: object}
			if withheld && !seen[one.String()] {
				seen[one.String()] = true
				out = append(out, one)
			}
		}
		before, after := whole.status.Clusters[name], left.status.Clusters[name]
		for i, c := range before.Conditions {
			note(nil, c != after.Conditions[i])
		}
		for i, f := range before.FailedPlacements {
			note(&f.Identifier, f.Condition != after.FailedPlacements[i].Condition)
		}
		for i, d := range before.DriftedPlacements {
			note(&d.Identifier, !slices.Equal(d.ObservedDrifts, after.DriftedPlacements[i].ObservedDrifts))
		}
		for i, d := range before.DiffedPlacements {
			note(&d.Identifier, !slices.Equal(d.ObservedDiffs, after.DiffedPlacements[i].ObservedDiffs))
		}
		for i, f := range whole.reports[name].failed {
			note(&f.Identifier, f.Condition != left.reports[name].failed[i].Condition)
		}
	}
	return out
}
