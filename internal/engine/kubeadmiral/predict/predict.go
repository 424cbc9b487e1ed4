package predict

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Prediction is what a host is going to do.
type Prediction struct {
	Placement engine.Placement
	// Spec has its defaults filled in, Policy is what stands for it on the host.
	Spec   placement.Spec
	Policy v1alpha1.PropagationPolicySpec
	Fleet  *host.Fleet
	// Objects are what is placed, and Leaving what was and is no longer.
	Objects []*Object
	Leaving []convert.Federated
	// Clusters are by name: the members of the fleet, those that are to become some, and those that have objects.
	Clusters []*Cluster
	// Fulfilled tells whether the policy gets all the clusters it asks for.
	Fulfilled bool
	// Removing says that the placement is to go.
	Removing bool

	content *content
	options engine.PreviewOptions
	// replaced is what goes first; nil for nothing.
	replaced *replaced
	// containers are the Namespaces and definitions that go with the placement: the provider has made them on the host, and a host has its Namespaces
	// on every member.
	containers []manifest.Identifier
	// keysDiffer says that an object on the host has not the keys that it is to have.
	keysDiffer bool
}

// New foresees what comes of a placement.
func New(ctx context.Context, clusters *clusterset.Set, p engine.Placement, options engine.PreviewOptions) (*Prediction, error) {
	out := &Prediction{Placement: p, Spec: p.Spec.Defaulted(), Policy: convert.Policy(p.Spec.Policy), options: options}
	var err error
	if out.Fleet, err = host.Look(ctx, clusters.Hub, p.Reference); err != nil {
		return nil, err
	}
	if options.Create && options.Replaces == nil && out.Fleet.Policy != nil {
		return nil, Exists(p.Reference)
	}
	if options.Replaces != nil {
		if err := out.replace(ctx, clusters, *options.Replaces); err != nil {
			return nil, err
		}
	}
	if out.content, err = resolve(ctx, clusters, p, options.World, out.Fleet); err != nil {
		return nil, err
	}
	out.Objects = out.content.objects
	out.leave()
	out.schedule()
	if err := out.examine(ctx, clusters); err != nil {
		return nil, err
	}
	return out, out.compareKeys()
}

// Exists is the error of a new placement that there is already.
func Exists(of engine.Reference) error {
	return &engine.ExistsError{What: "A " + host.PolicyKind(of.Namespace) + " \"" + of.String() + "\"", Where: "the host", Import: of.String()}
}

// Removal foresees what comes of the deletion of a placement.
func Removal(ctx context.Context, clusters *clusterset.Set, p engine.Placement) (*Prediction, error) {
	out := &Prediction{Placement: p, Spec: p.Spec.Defaulted(), Removing: true, Fulfilled: true, content: &content{}}
	var err error
	if out.Fleet, err = host.Look(ctx, clusters.Hub, p.Reference); err != nil {
		return nil, err
	}
	out.leave()
	for _, id := range host.MadeBy(out.Fleet.PolicyLive) {
		if id.Group == "" && id.Kind == "Namespace" {
			out.containers = append(out.containers, id)
		}
	}
	slices.SortFunc(out.containers, func(a, b manifest.Identifier) int { return a.Key().Compare(b.Key()) })
	out.newClusters()
	return out, out.examine(ctx, clusters)
}

// leave finds out what is placed no more.
func (p *Prediction) leave() {
	placed := map[manifest.Key]bool{}
	for _, o := range p.Objects {
		placed[o.Key()] = true
	}
	for _, key := range slices.SortedFunc(maps.Keys(p.Fleet.Federated), manifest.Key.Compare) {
		if !placed[key] {
			p.Leaving = append(p.Leaving, p.Fleet.Federated[key])
		}
	}
}

// candidates are the members as the scheduler will see them. One that the same run registers is taken for one that has joined by then.
func (p *Prediction) candidates() []Candidate {
	var out []Candidate
	for _, m := range p.Fleet.Members {
		planned, changes := p.options.World.Members[m.Name]
		if changes && planned.Want == nil {
			continue
		}
		c := Candidate{
			Name: m.Name, Labels: maps.Clone(m.Labels), Taints: m.Spec.Taints, Joined: convert.Is(m, v1alpha1.ConditionJoined),
			Ready: convert.Is(m, v1alpha1.ConditionReady), Leaving: m.DeletionTimestamp != nil, Types: m.Status.APIResourceTypes, Resources: m.Status.Resources,
		}
		out = append(out, foreseen(c, planned))
	}
	for _, name := range slices.Sorted(maps.Keys(p.options.World.Members)) {
		if planned := p.options.World.Members[name]; planned.Want != nil && p.Fleet.Member(name) == nil {
			out = append(out, foreseen(Candidate{Name: name, Joined: true, Ready: true}, planned))
		}
	}
	return out
}

// foreseen is a member as the same run is going to change it. Labels that others have put on it stay.
func foreseen(c Candidate, planned engine.Planned[member.Spec]) Candidate {
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
	if planned.Want.Taints != nil || planned.Was != nil && planned.Was.Taints != nil {
		c.Taints = convert.FromMember(*planned.Want, nil).Spec.Taints
	}
	return c
}

// schedule foresees which clusters are picked, for each object.
func (p *Prediction) schedule() {
	p.newClusters()
	var affinity v1alpha1.Affinity
	if policy := convert.AffinityOf(*p.Spec.Policy); len(policy.ClusterAffinity.Preferred) > 0 {
		affinity = policy
	}
	standing := p.Fleet.Policy != nil && convert.Sticky(p.Policy) && convert.Sticky(p.Fleet.Policy.Spec) && convert.SamePolicy(p.Policy, p.Fleet.Policy.Spec)
	candidates := p.candidates()
	p.Fulfilled = true
	units := p.Objects
	if !slices.ContainsFunc(units, func(o *Object) bool { return !o.IsNamespace() }) {
		units = append(slices.Clone(units), &Object{}) // where nothing is placed, the policy says where it would be
	}
	for _, o := range units {
		if o.IsNamespace() {
			continue
		}
		unit := Unit{Kind: o.GroupVersionKind(), Standing: standing, Current: map[string]bool{}}
		if o.Kind == "" {
			unit.Kind = schema.GroupVersionKind{}
		}
		if federated, found := p.Fleet.Federated[o.Key()]; found {
			for _, name := range federated.Placed() {
				unit.Current[name] = true
			}
		}
		picks := Schedule(p.Policy, affinity, unit, candidates)
		selected := 0
		for name, pick := range picks {
			c := p.Cluster(name)
			if pick.Selected {
				selected++
				c.picked[o.Key()] = true
			}
			if pick.Selected || c.decision.Reason == "" {
				c.decision = takeBetter(c.decision, pick)
			}
		}
		p.Fulfilled = p.Fulfilled && selected >= p.wanted()
	}
	for _, c := range p.Clusters {
		if c.decision.Reason == "" {
			c.decision.Reason = "cluster is not a member of the fleet"
		}
	}
}

// takeBetter keeps a decision that something of the placement goes to a cluster.
func takeBetter(a, b Pick) Pick {
	if a.Selected {
		return a
	}
	return b
}

// wanted is how many clusters the policy asks for.
func (p *Prediction) wanted() int {
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

func (p *Prediction) newClusters() {
	byName := map[string]*Cluster{}
	add := func(name string) *Cluster {
		c := byName[name]
		if c == nil {
			c = &Cluster{Name: name, prediction: p, picked: map[manifest.Key]bool{}, registration: p.Fleet.Member(name)}
			byName[name] = c
			p.Clusters = append(p.Clusters, c)
		}
		return c
	}
	for _, m := range p.Fleet.Members {
		add(m.Name)
	}
	for _, f := range p.Fleet.Federated {
		for _, name := range f.Placed() {
			add(name).bound = true
		}
		for _, s := range f.Status.Clusters {
			add(s.Cluster).bound = true
		}
	}
	for _, name := range p.Spec.Policy.ClusterNames {
		add(name)
	}
	for name, planned := range p.options.World.Members {
		c := add(name)
		c.joining, c.leaving = planned.Want != nil && c.registration == nil, planned.Want == nil
	}
	slices.SortFunc(p.Clusters, func(a, b *Cluster) int { return cmp.Compare(a.Name, b.Name) })
}

// Cluster returns the one with a name; nil if there is none.
func (p *Prediction) Cluster(name string) *Cluster {
	i, found := slices.BinarySearchFunc(p.Clusters, name, func(c *Cluster, name string) int { return cmp.Compare(c.Name, name) })
	if !found {
		return nil
	}
	return p.Clusters[i]
}

// examine looks at the members. One that does not answer, or that the provider has no connection to, holds up no other.
func (p *Prediction) examine(ctx context.Context, clusters *clusterset.Set) error {
	names := make([]string, len(p.Clusters))
	for i, c := range p.Clusters {
		names[i] = c.Name
	}
	err := clusters.Each(ctx, names, func(ctx context.Context, name string) error {
		c := p.Cluster(name)
		if len(c.picked) == 0 && !c.bound && len(p.containers) == 0 {
			return nil
		}
		c.Err = c.examine(ctx, clusters)
		if _, unseen := errors.AsType[*engine.UnseenError](c.Err); unseen || clusterset.IsOffline(c.Err) {
			return nil
		}
		return c.Err
	})
	if err == nil {
		err = clusterset.Ended(ctx)
	}
	return err
}

// Keys are those that an object on the host is to have: who may take over what, as far as the members could be looked at.
func (p *Prediction) Keys(o *Object) (convert.Keys, error) {
	adoption := convert.Adoption{Everywhere: p.Spec.Strategy.ApplyStrategy.WhenToTakeOver == placement.TakeOverAlways}
	before := map[string]bool{}
	if o.Live != nil {
		for _, name := range convert.AdoptedOn(o.Live.GetAnnotations()) {
			before[name] = true
		}
	}
	var refused []string
	for _, c := range p.Clusters {
		if !c.picked[o.Key()] {
			continue
		}
		switch c.adopts(o, before[c.Name], adoption.Everywhere) {
		case adoptionYes:
			adoption.Clusters = append(adoption.Clusters, c.Name)
		case adoptionRefused:
			refused = append(refused, c.Name)
		case adoptionNone:
		}
	}
	if len(refused) > 0 {
		adoption.Everywhere = false
	}
	if p.Spec.Strategy.ApplyStrategy.WhenToTakeOver == placement.TakeOverNever {
		adoption = convert.Adoption{}
	}
	return convert.KeysOf(p.Placement.Namespace, p.Placement.Name, p.Placement.Spec, adoption)
}

// compareKeys finds out whether an object has other keys on the host.
func (p *Prediction) compareKeys() error {
	for _, o := range p.Objects {
		if o.IsNamespace() && o.Manifest == nil {
			continue
		}
		if o.Live == nil || o.Changing || o.Held() {
			p.keysDiffer = true
			continue
		}
		if o.IsNamespace() {
			continue
		}
		keys, err := p.Keys(o)
		if err != nil {
			return err
		}
		p.keysDiffer = p.keysDiffer || !keys.Held(o.Live.GetLabels(), o.Live.GetAnnotations())
	}
	return nil
}

// Changes tells whether there is anything to write on the host.
func (p *Prediction) Changes() bool {
	return p.Fleet.Policy == nil || !convert.SamePolicy(p.Policy, p.Fleet.Policy.Spec) ||
		convert.Sticky(p.Policy) != convert.Sticky(p.Fleet.Policy.Spec) || p.keysDiffer || len(p.Leaving) > 0 || p.stale()
}

// stale tells whether the provider has made something on the host that is in no manifest any more, and has not been placed yet.
func (p *Prediction) stale() bool {
	for key := range host.MadeBy(p.Fleet.PolicyLive) {
		if !slices.ContainsFunc(p.Objects, func(o *Object) bool { return o.Key() == key && o.Manifest != nil }) {
			return true
		}
	}
	return false
}

// Preview is the part of the prediction that others may see.
func (p *Prediction) Preview() *engine.Preview {
	out := &engine.Preview{
		Placement: p.Placement.Reference.String(), Selected: p.content.selected, EmptySelectors: p.content.empty, Unselected: p.content.unselected,
		Fulfilled: p.Fulfilled, Unknown: p.options.World.Unknown(), Predicted: true, KeepsAdopted: true, Changing: p.options.World.Changes(),
		Removing: p.Removing && (p.Fleet.Policy == nil || p.Fleet.Policy.DeletionTimestamp != nil),
	}
	for _, c := range p.Clusters {
		out.Clusters = append(out.Clusters, c.preview())
	}
	out.Dangers = p.dangers()
	return out
}

// Surprise is an object that is not as the user agreed to.
type Surprise struct {
	Cluster string
	manifest.Identifier
	Problem string
}

// join lists names for people.
func join(names []string) string { return strings.Join(names, ", ") }
