package predict

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
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
	// Containers are the Namespaces and definitions that the provider has made on the host and that are to go.
	Containers []*Container
	// Clusters are by name: the members of the fleet, those that are to become some, and those that have objects.
	Clusters []*Cluster
	// Fulfilled tells whether the policy gets all the clusters it asks for.
	Fulfilled bool
	// Removing says that the placement is to go.
	Removing bool

	content *content
	options engine.PreviewOptions
	// replaced is the placement that is destroyed first, recreated the objects that are being deleted on the host; nil for nothing.
	replaced, recreated *replaced
	// going are the objects on the host that go by themselves, besides the Containers, with what is known to belong to them.
	going memberpreview.Going
	// unapplied reports that the prediction is of a change that is not written yet, and not of an apply. standing reports that the scheduler keeps its picks.
	unapplied, standing bool
	// keysDiffer says that an object on the host has not the keys that it is to have.
	keysDiffer bool
}

// New foresees what comes of a placement.
func New(ctx context.Context, clusters *clusterset.Set, p engine.Placement, options engine.PreviewOptions) (*Prediction, error) {
	out := &Prediction{Placement: p, Spec: p.Spec.Defaulted(), options: options}
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
	out.Policy = convert.PolicyOn(p.Spec.Policy, out.Fleet.ExternalPolicy)
	if out.content, err = resolve(ctx, clusters, p, options, out.Fleet, out.Policy); err != nil {
		return nil, err
	}
	out.Objects = out.content.objects
	out.recreate()
	out.leave()
	if err := out.contain(ctx, clusters.Hub); err != nil {
		return nil, err
	}
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
	if err := out.contain(ctx, clusters.Hub); err != nil {
		return nil, err
	}
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

func (p *Prediction) newClusters() {
	byName := map[string]*Cluster{}
	add := func(name string) *Cluster {
		c := byName[name]
		if c == nil {
			c = &Cluster{Name: name, prediction: p, picked: map[manifest.Key]bool{}, stays: map[manifest.Key]bool{}, registration: p.Fleet.Member(name)}
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

// examine looks at the members, and finds out what stays because of what is there. One that does not answer, or that the provider has no connection to,
// holds up no other.
func (p *Prediction) examine(ctx context.Context, clusters *clusterset.Set) error {
	names := make([]string, len(p.Clusters))
	for i, c := range p.Clusters {
		names[i] = c.Name
	}
	err := clusters.Each(ctx, names, func(ctx context.Context, name string) error {
		c := p.Cluster(name)
		if !c.concerned() {
			return nil
		}
		if p.unapplied && c.leaving {
			c.remain()
			return nil
		}
		c.Err = c.examine(ctx, clusters)
		c.unlooked()
		c.Items = append(c.Items, c.Foreign()...)
		if _, unseen := errors.AsType[*engine.UnseenError](c.Err); unseen || clusterset.IsOffline(c.Err) {
			return nil
		}
		return c.Err
	})
	if err == nil {
		err = clusterset.Ended(ctx)
	}
	if err != nil {
		return err
	}
	return p.hold(ctx, clusters.Hub)
}

// Preview is the part of the prediction that others may see.
func (p *Prediction) Preview() *engine.Preview {
	out := &engine.Preview{
		Placement: p.Placement.Reference.String(), Selected: p.content.selected, EmptySelectors: p.content.empty, Unselected: p.content.unselected,
		Manager: dispatch.FieldManager, Fulfilled: p.Fulfilled, Unknown: p.options.World.Unknown(), Predicted: true, KeepsAdopted: true, Changing: p.options.World.Changes(),
		Removing: p.Removing && (p.Fleet.Policy == nil || p.Fleet.Policy.DeletionTimestamp != nil),
	}
	for _, c := range p.Clusters {
		out.Clusters = append(out.Clusters, c.preview())
	}
	if !p.Removing {
		out.Places = []manifest.Key{}
	}
	for _, o := range p.Objects {
		if !o.IsNamespace() {
			out.Places = append(out.Places, o.Key())
		}
	}
	out.Dangers = p.dangers()
	return out
}

// join lists names for people.
func join(names []string) string { return strings.Join(names, ", ") }
