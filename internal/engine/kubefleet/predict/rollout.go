package predict

import (
	"cmp"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
)

// rollout returns the order in which the hub updates the clusters. The clusters of a group are updated together. No group contains a cluster that the placement
// leaves. The hold names the clusters that the rollout does not reach, and is nil if there are none. For a removal, for strategy External and for invalid
// settings, the order and the hold are nil. (KubeFleet, pkg/controllers/rollout: pickBindingsToRoll.)
//
// A new or available cluster is assumed to be available after its update, unless obstacle returns a reason. An unavailable cluster is assumed to remain
// unavailable.
func (p *Prediction) rollout() ([][]string, *engine.Hold) {
	if p.Removing || p.Spec.Strategy.Type != placement.RollingUpdateStrategy {
		return nil, nil
	}
	target := p.target()
	settings, err := rollout.ParseSettings(*p.Spec.Strategy.RollingUpdate, target)
	if err != nil {
		return nil, nil
	}
	todo := p.candidates()
	most, room := settings.MaxUnavailable.Of(target), settings.MaxSurge.Of(target)
	available, occupied := p.count((*Cluster).isAvailable), p.count((*Cluster).isOccupied)
	var out [][]string
	first := todo.failed // the hub updates failed clusters first, regardless of the state of the others
	for {
		atOnce, more := available-(target-most), target+room-occupied
		removed, added := take(&todo.removals, atOnce), take(&todo.additions, more)
		updated := take(&todo.updates, atOnce-len(removed))
		group := slices.Concat(first, updated, added)
		if len(group)+len(removed) == 0 {
			break
		}
		if first = nil; len(group) > 0 {
			out = append(out, group)
		}
		for _, name := range updated {
			if c := p.Cluster(name); c.obstacle() != "" {
				available, occupied = available-asInt(c.isAvailable()), occupied-asInt(c.isOccupied())
			}
		}
		for _, name := range added {
			works := p.Cluster(name).obstacle() == ""
			available, occupied = available+asInt(works), occupied+asInt(works && !p.reports())
		}
		for _, name := range removed {
			c := p.Cluster(name)
			available, occupied = available-asInt(c.isAvailable()), occupied-asInt(c.isOccupied())
		}
	}
	return out, p.hold(slices.Concat(todo.updates, todo.removals, todo.additions), target, most)
}

// candidates are the clusters that the rollout changes. All lists except additions are sorted by the names of the bindings.
type candidates struct{ failed, updates, removals, additions []string }

func (p *Prediction) candidates() candidates {
	var out candidates
	for _, c := range p.Clusters {
		switch changes := p.ContentChanges || c.isBehind() || c.overridesChange(); {
		case !c.placed && (c.binding == nil || c.binding.DeletionTimestamp != nil): // a binding that is being deleted does not count against maxUnavailable
		case !c.placed:
			out.removals = append(out.removals, c.Name)
		case c.binding == nil, c.binding.Spec.State == wire.BindingStateScheduled:
			out.additions = append(out.additions, c.Name)
		case changes && c.hasFailed():
			out.failed = append(out.failed, c.Name)
		case changes:
			out.updates = append(out.updates, c.Name)
		}
	}
	order := p.bindingNames()
	for _, list := range [][]string{out.failed, out.updates, out.removals} {
		slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(order[a], order[b]) })
	}
	return out
}

// hold returns the reasons why the rollout does not reach the waiting clusters, or nil if no cluster is waiting. target is the result of the method target, and
// most is maxUnavailable as a number of clusters.
func (p *Prediction) hold(waiting []string, target, most int) *engine.Hold {
	if len(waiting) == 0 {
		return nil
	}
	slices.Sort(waiting)
	out := &engine.Hold{Clusters: waiting, MaxUnavailable: most, Missing: max(0, target-len(p.Outcome.Selected()))}
	for _, c := range p.Clusters {
		if c.binding != nil && c.binding.Spec.State != wire.BindingStateScheduled && !c.isAvailable() {
			out.For = append(out.For, engine.Unavailable{Cluster: c.Name, Reason: c.unavailable()})
		} else if reason := c.obstacle(); reason != "" && c.placed && !slices.Contains(waiting, c.Name) {
			out.For = append(out.For, engine.Unavailable{Cluster: c.Name, Reason: reason})
		}
	}
	return out
}

// isBehind reports whether the binding of the cluster refers to content that is not the latest content on the hub.
func (c *Cluster) isBehind() bool {
	latest := c.prediction.Fleet.Content.Name
	return c.binding != nil && latest != "" && c.binding.Spec.ResourceSnapshotName != latest
}

// overridesChange reports whether the rollout updates the cluster because of a changed override. The override must apply to the cluster and name the placement,
// but need not change any object on the cluster. A hub does not react to an override that names no placement, or to a change of the labels of the member
// (KubeFleet, pkg/controllers/rollout: SetupWithManagerForClusterResourcePlacement).
func (c *Cluster) overridesChange() bool {
	return slices.ContainsFunc(c.changedOverrides(), func(o override.Override) bool { return o.Named && c.rewrites(o.Reference) })
}

// rewrites reports whether the spec of an override changes. If changedOverrides returns an override whose spec does not change, then the labels of the cluster
// change, and with them the selection by the override.
func (c *Cluster) rewrites(reference override.Reference) bool {
	return !override.Same(c.prediction.Overrides.Specs()[reference], c.overrides.Specs()[reference])
}

// changedOverrides returns the overrides that change for the objects on the cluster: overrides that apply only before or only after the change, and modified
// overrides.
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

// without returns the overrides in list that other does not contain unchanged.
func without(list, other []override.Override) []override.Override {
	return slices.DeleteFunc(slices.Clone(list), func(o override.Override) bool {
		return slices.ContainsFunc(other, func(p override.Override) bool { return override.Same(o, p) })
	})
}

func asInt(is bool) int {
	if is {
		return 1
	}
	return 0
}

func take(list *[]string, n int) []string {
	n = max(0, min(n, len(*list)))
	out := slices.Clone((*list)[:n])
	*list = (*list)[n:]
	return out
}

// target returns the number of clusters from which the hub computes maxUnavailable and maxSurge: the number in the policy, even if fewer clusters match, or
// else the number of picked clusters.
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

func (p *Prediction) count(is func(*Cluster) bool) int {
	n := 0
	for _, c := range p.Clusters {
		if is(c) {
			n++
		}
	}
	return n
}

// bindingNames returns the names of the bindings, by cluster. The rollout of a hub sorts by these names.
func (p *Prediction) bindingNames() map[string]string {
	out := map[string]string{}
	for _, b := range p.Fleet.Bindings {
		out[b.Spec.TargetCluster] = b.Name
	}
	return out
}
