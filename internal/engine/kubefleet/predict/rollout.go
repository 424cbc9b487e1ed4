package predict

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
)

// rollout is the order in which the hub comes to the clusters, as long as every one becomes available: those of a group at once. Clusters that
// the rollout never comes to are not in it. As many may be without the placement, or with another content, as may be unavailable, and those that the
// placement leaves come first. (KubeFleet, pkg/controllers/rollout: pickBindingsToRoll; without a change of the content, or of an
// override that names the placement and applies to it, nothing is rolled out to a cluster that has the placement.)
func (p *Prediction) rollout() [][]string {
	if p.Removing || p.Spec.Strategy.Type != placement.RollingUpdateStrategy {
		return nil
	}
	var updates, additions []string
	for _, c := range p.Clusters {
		switch {
		case !c.placed:
		case !c.bound:
			additions = append(additions, c.Name)
		case p.ContentChanges, c.overridesChange():
			updates = append(updates, c.Name)
		}
	}
	target := p.target()
	settings, err := rollout.ParseSettings(*p.Spec.Strategy.RollingUpdate, target)
	if err != nil {
		return nil
	}
	order := p.bindingNames()
	slices.SortStableFunc(updates, func(a, b string) int { return cmp.Compare(order[a], order[b]) })
	bound, leaving := p.bound()
	var out [][]string
	for {
		atOnce := max(0, bound-(target-settings.MaxUnavailable.Of(target)))
		removals := min(leaving, atOnce)
		group := take(&updates, atOnce-removals)
		added := take(&additions, target+settings.MaxSurge.Of(target)-bound)
		if group = append(group, added...); len(group) > 0 {
			out = append(out, group)
		} else if removals == 0 {
			return out
		}
		bound, leaving = bound+len(added)-removals, leaving-removals
	}
}

// overridesChange tells whether the rollout comes to the cluster with overrides: one that applies to it and names the placement is to become another
// one, whether the objects there come to differ by it or not. For one that names none the hub does nothing (KubeFleet, pkg/controllers/rollout:
// handleClusterResourceOverrideSnapshot and handleResourceOverrideSnapshot).
func (c *Cluster) overridesChange() bool {
	return slices.ContainsFunc(c.changedOverrides(), func(o override.Override) bool { return o.Named })
}

// changedOverrides are the overrides that apply to the cluster, now or then, and are to become other ones.
func (c *Cluster) changedOverrides() []override.Override {
	if c.registration == nil {
		return nil
	}
	p, name := c.prediction, c.prediction.Placement.Reference.String()
	before := override.Cluster{Name: c.Name, Labels: labels(c.Name, c.registration.Labels)}
	after := override.Cluster{Name: c.Name, Labels: c.labels()}
	var out []override.Override
	for _, o := range p.Content.Objects {
		was, wasErr := override.Applicable(p.Overrides, o.Identifier, before, name)
		is, isErr := override.Applicable(c.overrides, o.Identifier, after, name)
		if wasErr == nil && isErr == nil {
			out = slices.Concat(out, without(was, is), without(is, was))
		}
	}
	return out
}

// without are the overrides of a list that another one does not have as they are.
func without(list, other []override.Override) []override.Override {
	return slices.DeleteFunc(slices.Clone(list), func(o override.Override) bool {
		return slices.ContainsFunc(other, func(p override.Override) bool { return reflect.DeepEqual(o, p) })
	})
}

// take takes the first n names off a list.
func take(list *[]string, n int) []string {
	n = max(0, min(n, len(*list)))
	out := slices.Clone((*list)[:n])
	*list = (*list)[n:]
	return out
}

// target is how many clusters the rollout reckons with: those that a policy names or numbers, whether there are so many or not.
func (p *Prediction) target() int {
	policy := p.Spec.Policy
	switch {
	case policy.PlacementType == placement.PickFixed:
		return len(policy.ClusterNames)
	case policy.PlacementType == placement.PickN && policy.NumberOfClusters != nil:
		return int(*policy.NumberOfClusters)
	default:
		return len(p.Outcome.Selected())
	}
}

// bound counts the bindings, and those of them that are to go. One that is being deleted counts for nothing.
func (p *Prediction) bound() (all, leaving int) {
	for _, b := range p.Fleet.Bindings {
		if b.DeletionTimestamp != nil {
			continue
		}
		all++
		if c := p.Cluster(b.Spec.TargetCluster); c == nil || !c.placed {
			leaving++
		}
	}
	return all, leaving
}

// bindingNames are by cluster: the hub goes by them.
func (p *Prediction) bindingNames() map[string]string {
	out := map[string]string{}
	for _, b := range p.Fleet.Bindings {
		out[b.Spec.TargetCluster] = b.Name
	}
	return out
}
