package predict

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// candidates returns the members that the scheduler will consider. It omits members that the same run removes. Members that the run registers or changes
// count as joined and ready.
func (p *Prediction) candidates() []Candidate {
	var out []Candidate
	for _, m := range p.Fleet.Members {
		planned, changes := p.options.World.Members[m.Name]
		if changes && planned.Want == nil {
			continue
		}
		c := candidateOf(m)
		if c.Types != nil {
			for kind := range p.options.World.Kinds[m.Name] {
				c.Types = append(slices.Clip(c.Types), v1alpha1.APIResource{Group: kind.Group, Version: kind.Version, Kind: kind.Kind})
			}
		}
		out = append(out, withPlanned(c, planned))
	}
	for _, name := range slices.Sorted(maps.Keys(p.options.World.Members)) {
		if planned := p.options.World.Members[name]; planned.Want != nil && p.Fleet.Member(name) == nil {
			out = append(out, withPlanned(Candidate{Name: name, Joined: true, Ready: true}, planned))
		}
	}
	for i := range out {
		if p.options.World.Assumed[out[i].Name] == engine.AssumeUnreachable {
			out[i].Ready = false // the host sets the condition Ready of an unreachable member to Unknown, and adds no taint
		}
	}
	return out
}

// candidateOf returns the current state of a member as input for the scheduler.
func candidateOf(m v1alpha1.FederatedCluster) Candidate {
	return Candidate{
		Name: m.Name, Labels: maps.Clone(m.Labels), Taints: m.Spec.Taints, Joined: convert.Is(m, v1alpha1.ConditionJoined),
		Ready: convert.Is(m, v1alpha1.ConditionReady), Leaving: m.DeletionTimestamp != nil, Types: m.Status.APIResourceTypes, Resources: m.Status.Resources,
	}
}

// withPlanned returns the candidate with the changes of this run. If there are any, the candidate counts as joined and ready. It keeps labels that other
// systems have set.
func withPlanned(c Candidate, planned engine.Planned[member.Spec]) Candidate {
	if planned.Want == nil {
		return c
	}
	c.Joined, c.Ready = true, true
	labels := maps.Clone(c.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	if planned.Was != nil {
		for key := range planned.Was.Labels {
			delete(labels, key)
		}
	}
	maps.Copy(labels, planned.Want.Labels)
	c.Labels = labels
	live := convert.TaintsOf(v1alpha1.FederatedCluster{Spec: v1alpha1.FederatedClusterSpec{Taints: c.Taints}})
	c.Taints = convert.FromMember(member.Spec{Taints: member.PlannedTaints(live, planned.Was, *planned.Want)}, nil).Spec.Taints
	return c
}

// schedule predicts which clusters the scheduler picks for each object, and sets p.Clusters and p.Fulfilled.
func (p *Prediction) schedule() {
	p.newClusters()
	s := p.scheduling()
	p.Fulfilled = true
	units := p.Objects
	if p.hasOnlyNamespaces() {
		units = append(slices.Clone(units), &Object{}) // schedule an object of no kind, to show which clusters the policy would pick
	}
	for _, o := range units {
		if o.IsNamespace() {
			continue
		}
		selected := 0
		for name, pick := range p.picks(s, o.Identifier) {
			c := p.Cluster(name)
			if pick.Selected {
				selected++
				c.picked[o.Key()] = true
			}
			if pick.Selected || c.decision.Reason == "" {
				c.decision = takeBetter(c.decision, pick)
			}
		}
		p.Fulfilled = p.Fulfilled && selected >= p.requestedClusters()
	}
	p.findUnserved(s)
	p.scheduleForeign(s)
	for _, c := range p.Clusters {
		if c.decision.Reason == "" {
			c.decision.Reason = "cluster is not a member of the fleet"
		}
	}
	for _, container := range p.Containers {
		if container.IsNamespace() {
			continue
		}
		for name, pick := range p.picks(s, container.Identifier) {
			p.Cluster(name).stays[container.Key()] = pick.Selected
		}
	}
}

// findUnserved records, for each cluster, the kinds of objects that the scheduler would place on the cluster if the cluster served them.
func (p *Prediction) findUnserved(s scheduling) {
	for _, o := range p.Objects {
		for _, candidate := range s.candidates {
			kind, c := o.GroupVersionKind(), p.Cluster(candidate.Name)
			if o.IsNamespace() || serves(candidate, kind) || slices.Contains(c.unserved, kind) {
				continue
			}
			serving := candidate
			serving.Types = nil
			if unfitReason(p.Policy, s.affinity, Unit{Kind: kind}, serving) == "" {
				c.unserved = append(c.unserved, kind)
			}
		}
	}
}

// scheduling is the part of the scheduler's input that is the same for all objects.
type scheduling struct {
	affinity   v1alpha1.Affinity
	sticky     bool
	candidates []Candidate
}

func (p *Prediction) scheduling() scheduling {
	out := scheduling{candidates: p.candidates()}
	if policy := convert.AffinityOf(*p.Spec.Policy); len(policy.ClusterAffinity.Preferred) > 0 {
		out.affinity = policy
	}
	out.sticky = p.sticky || p.keepsPicks()
	return out
}

// keepsPicks reports whether the scheduler keeps the objects on the clusters that it picked before. This requires that the policy disables rescheduling,
// that the preferred clusters are unchanged, and that an equivalent policy of this placement or of a giver picked these clusters.
func (p *Prediction) keepsPicks() bool {
	known := p.Fleet.Policy
	switch {
	case !convert.DisablesRescheduling(p.Policy), p.PreferencesChanged(), p.reschedulesGiven():
		return false
	case known == nil:
		return p.takesObjects()
	}
	return convert.DisablesRescheduling(known.Spec) && convert.SamePolicy(p.Policy, known.Spec)
}

func (p *Prediction) picks(s scheduling, id manifest.Identifier) map[string]Pick {
	unit := Unit{Kind: id.GroupVersionKind(), Sticky: s.sticky, Current: map[string]bool{}}
	if id.Kind == "" {
		unit.Kind = schema.GroupVersionKind{}
	}
	if federated, found := p.federated(id.Key()); found {
		for _, name := range federated.Scheduled() {
			unit.Current[name] = true
		}
	}
	return Schedule(p.Policy, s.affinity, unit, s.candidates)
}

// takeBetter returns a if a picks the cluster, and b otherwise.
func takeBetter(a, b Pick) Pick {
	if a.Selected {
		return a
	}
	return b
}

// requestedClusters returns the number of clusters that the policy requests, or 0 for PickAll.
func (p *Prediction) requestedClusters() int {
	switch policy := p.Spec.Policy; policy.PlacementType {
	case placement.PickFixed:
		return len(policy.ClusterNames)
	case placement.PickN:
		if policy.NumberOfClusters != nil {
			return int(*policy.NumberOfClusters)
		}
	case placement.PickAll:
	}
	return 0
}
