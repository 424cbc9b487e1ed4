package predict

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/occupants"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Prediction is the predicted behaviour of a host for one placement.
type Prediction struct {
	Placement engine.Placement
	// Spec includes defaults. Policy is the equivalent of Spec.Policy on the host.
	Spec   placement.Spec
	Policy v1alpha1.PropagationPolicySpec
	Fleet  *host.Fleet
	// Objects are the placed objects. Leaving are the objects that are no longer placed.
	Objects []*Object
	Leaving []convert.Federated
	// Containers are the Namespaces and CustomResourceDefinitions that the provider created on the host and that are no longer placed.
	Containers []*Container
	// Clusters are sorted by name. They are the members of the fleet, the planned members, the clusters that the policy names, and the clusters that have
	// objects of the placement.
	Clusters []*Cluster
	// Fulfilled reports whether the policy gets as many clusters as it requests.
	Fulfilled bool
	// Removing reports that the prediction is about the removal of the placement.
	Removing bool

	content *content
	options engine.PreviewOptions
	// given are the FederatedObjects of the objects that givers (the placements in takes_over_from) hand over or have just handed over.
	given map[manifest.Key]convert.Federated
	// replaced are the objects of a placement that is destroyed before this one is created. recreated are objects that come from manifests and are being
	// deleted on the host: the apply creates them again. Both can be nil.
	replaced, recreated *replaced
	// going are the objects on the host that are deleted before the Containers: the other objects that the provider created and that are no longer placed, and
	// the control plane's own objects in the Containers.
	going memberpreview.Deleted
	// run has the changes of the same run to other placements. occupied are the objects of other placements in the Containers. others has what the run does with
	// these placements.
	run      engine.SameRun
	occupied map[manifest.Key]host.Occupant
	others   occupants.Occupants
	// unapplied reports that the prediction is about a change of members, and not about an apply of the placement. sticky reports that the scheduler keeps its
	// picks.
	unapplied, sticky bool
	// keysDiffer reports that the apply writes an object on the host, or the keys of an object.
	keysDiffer bool
}

// New predicts the apply of a placement.
func New(ctx context.Context, clusters *clusterset.Set, p engine.Placement, options engine.PreviewOptions) (*Prediction, error) {
	out := &Prediction{Placement: p, Spec: p.Spec.Defaulted(), options: options}
	var err error
	if out.Fleet, err = host.ReadFleet(ctx, clusters.Hub, p.Reference); err != nil {
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
	if err := out.readGivers(ctx, clusters.Hub); err != nil {
		return nil, err
	}
	out.Policy = convert.PolicyOn(p.Spec.Policy, out.Fleet.ExternalPolicy)
	if out.content, err = resolve(ctx, clusters, p, options, out.Fleet, out.Policy); err != nil {
		return nil, err
	}
	out.Objects = out.content.objects
	if err := out.checkReplaced(ctx, clusters); err != nil {
		return nil, err
	}
	if err := out.take(); err != nil {
		return nil, err
	}
	out.recreate()
	if err := out.leave(ctx, clusters.Hub); err != nil {
		return nil, err
	}
	if err := out.findContainers(ctx, clusters.Hub); err != nil {
		return nil, err
	}
	out.schedule()
	if err := out.examine(ctx, clusters); err != nil {
		return nil, err
	}
	return out, out.compareKeys()
}

// Awaited returns the kinds of the objects that cannot be placed yet: their Namespace does not exist on the host, or a cluster on which the plan places them
// does not serve the kind. unserved reports that the second case exists.
func (p *Prediction) Awaited() (kinds []schema.GroupVersionKind, unserved bool) {
	for _, c := range p.Clusters {
		if p.options.Expected.Picks(c.Name) && len(c.unserved) > 0 {
			kinds, unserved = append(kinds, c.unserved...), true
		}
	}
	for _, o := range p.Objects {
		if o.lacksNamespace && o.Refused != nil {
			kinds = append(kinds, o.GroupVersionKind())
		}
	}
	return kinds, unserved
}

// Exists returns the [*engine.ExistsError] for a new placement whose policy already exists.
func Exists(of engine.Reference) error {
	return &engine.ExistsError{What: "A " + host.PolicyKind(of.Namespace) + " \"" + of.String() + "\"", Where: "the host", Import: of.String()}
}

// Removal predicts the deletion of a placement. applying reports that the caller then deletes the placement.
func Removal(ctx context.Context, clusters *clusterset.Set, p engine.Placement, options engine.DeleteOptions, applying bool) (*Prediction, error) {
	out := &Prediction{
		Placement: p, Spec: p.Spec.Defaulted(), Removing: true, Fulfilled: true, content: &content{}, run: options.Run,
		options: engine.PreviewOptions{Takers: options.Takers, Expected: options.Expected, World: options.World, Applying: applying},
	}
	var err error
	if out.Fleet, err = host.ReadFleet(ctx, clusters.Hub, p.Reference); err != nil {
		return nil, err
	}
	if err := out.leave(ctx, clusters.Hub); err != nil {
		return nil, err
	}
	if err := out.findContainers(ctx, clusters.Hub); err != nil {
		return nil, err
	}
	out.newClusters()
	return out, out.examine(ctx, clusters)
}

// leave sets p.Leaving to the objects that are no longer placed. An object that now has the label of another policy does not belong to the placement,
// although its FederatedObject may still have the former label.
func (p *Prediction) leave(ctx context.Context, cluster *kube.Cluster) error {
	placed := map[manifest.Key]bool{}
	for _, o := range p.Objects {
		placed[o.Key()] = true
	}
	var leaving []manifest.Identifier
	for _, key := range sortedKeys(p.Fleet.Federated) {
		if !placed[key] {
			leaving = append(leaving, p.Fleet.Federated[key].Identifier())
		}
	}
	if len(leaving) == 0 {
		return nil
	}
	live, err := host.Objects(ctx, cluster, leaving)
	if err != nil {
		return err
	}
	for _, id := range leaving {
		if u := live[id.Key()]; u != nil {
			if _, other := host.Claimed(u, p.Placement.Reference); other != "" {
				delete(p.Fleet.Federated, id.Key())
				continue
			}
		}
		p.Leaving = append(p.Leaving, p.Fleet.Federated[id.Key()])
	}
	return nil
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
	for _, federated := range []map[manifest.Key]convert.Federated{p.Fleet.Federated, p.given} {
		for _, f := range federated {
			for _, name := range f.Placed() {
				add(name).bound = true
			}
			for _, s := range f.Status.Clusters {
				add(s.Cluster).bound = true
			}
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

// Cluster returns the cluster with the name, or nil if there is none.
func (p *Prediction) Cluster(name string) *Cluster {
	i, found := slices.BinarySearchFunc(p.Clusters, name, func(c *Cluster, name string) int { return cmp.Compare(c.Name, name) })
	if !found {
		return nil
	}
	return p.Clusters[i]
}

// examine predicts the actions on the members, and determines which containers are kept because of their contents. For a member that is unreachable or to
// which the provider has no connection, it sets Cluster.Err and returns no error.
func (p *Prediction) examine(ctx context.Context, clusters *clusterset.Set) error {
	for _, o := range p.Objects {
		f, found := p.federated(o.Key())
		o.observed = found && o.Live != nil && f.Observes(o.Live)
	}
	names := make([]string, len(p.Clusters))
	for i, c := range p.Clusters {
		names[i] = c.Name
	}
	err := clusters.Each(ctx, names, func(ctx context.Context, name string) error {
		c := p.Cluster(name)
		if !c.isConcerned() {
			return nil
		}
		if p.unapplied && c.leaving && !c.cascades() {
			c.remain()
			return nil
		}
		c.Err = c.examine(ctx, clusters)
		c.markUnread()
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

// Preview converts the prediction to the type of the engine API.
func (p *Prediction) Preview() *engine.Preview {
	onHost := &engine.HubPreview{
		KeepsAdopted: true, AwaitsChanges: p.options.World.Changes(),
		Removing: p.Removing && (p.Fleet.Policy == nil || p.Fleet.Policy.DeletionTimestamp != nil),
	}
	out := &engine.Preview{
		Placement: p.Placement.Reference.String(), Selected: p.content.selected, EmptySelectors: p.content.empty, Unselected: p.content.unselected, Definitions: p.content.definitions,
		Manager: dispatch.FieldManager, Fulfilled: p.Fulfilled, Unknown: p.options.World.Unknown(), Hub: onHost,
	}
	for _, c := range p.Clusters {
		out.Clusters = append(out.Clusters, c.preview())
	}
	if !p.Removing {
		onHost.Places = []manifest.Key{}
	}
	for _, o := range p.Objects {
		if !o.IsNamespace() {
			onHost.Places = append(onHost.Places, o.Key())
		}
	}
	out.Remaining, out.MissingGivers = p.remainingOfGivers(), p.missingGivers()
	out.Dangers = p.dangers()
	return out
}

func (p *Prediction) hasOnlyNamespaces() bool {
	return !slices.ContainsFunc(p.Objects, func(o *Object) bool { return !o.IsNamespace() })
}

func join(names []string) string { return strings.Join(names, ", ") }
