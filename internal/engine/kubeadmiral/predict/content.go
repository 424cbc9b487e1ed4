package predict

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Object is an object of a placement.
type Object struct {
	manifest.Identifier
	// Manifest is what is to stand on the host, of an object that the provider makes there; nil for one that is selected.
	Manifest *unstructured.Unstructured
	// Live is the object on the host as it is; nil if there is none.
	Live *unstructured.Unstructured
	// Outgoing is what members are sent, but for its marks.
	Outgoing *unstructured.Unstructured
	// Changing says that the manifest is another one than what stands on the host.
	Changing bool
	// Filled says that Outgoing has what an API server fills in.
	Filled bool
	// writable says that the credentials may write it there.
	writable bool
	// Refused is why the host does not take the manifest; nil if it does, or could not be asked.
	Refused error
	// homeless says that the host does not have the Namespace that it is to be made in.
	homeless bool
	// Giver is the placement that the object is taken over from; nil for none.
	Giver *host.Giver
}

// Held tells whether the object is kept from being placed, by a removal that did not end.
func (o *Object) Held() bool {
	return o.Live != nil && o.Live.GetAnnotations()[v1alpha1.NoFederatedResourceAnnotation] != ""
}

// content is what a placement places.
type content struct {
	objects []*Object
	// foreign are the objects of other placements, which are not among objects.
	foreign    []foreign
	selected   []manifest.Identifier
	empty      []int
	unselected []manifest.Identifier
	defines    []func(schema.GroupVersionKind) bool
	// definitions are the CustomResourceDefinitions among the objects.
	definitions engine.Definitions
}

// closed are all envelopes: a host opens none.
var closed = []envelope.Type{envelope.TypeConfigMap, envelope.TypeResourceEnvelope, envelope.TypeClusterResourceEnvelope}

// resolve finds out what a placement places: its manifests, and what its selectors pick on the host besides. What the provider has made there of
// manifests is not selected.
func resolve(
	ctx context.Context, clusters *clusterset.Set, p engine.Placement, options engine.PreviewOptions, fleet *host.Fleet, policy v1alpha1.PropagationPolicySpec,
) (*content, error) {
	world := options.World
	out := &content{}
	made := host.MadeBy(fleet.PolicyLive)
	known := map[manifest.Key]bool{}
	if len(p.AllManifests()) > 0 {
		alone := *clusters
		alone.Hub = nil
		p := p
		p.Namespace = ""
		own, err := source.Resolve(ctx, &alone, p, source.Options{World: world, Closed: closed})
		if err != nil {
			return nil, err
		}
		out.take(own)
		for _, o := range own.Objects {
			out.objects = append(out.objects, &Object{Identifier: o.Identifier, Manifest: source.Outgoing(o.Content)})
			known[o.Key()] = true
		}
	}
	if len(p.Spec.ResourceSelectors) > 0 {
		p := p
		p.Manifests, p.WriteOnly = nil, nil
		found, err := source.Resolve(ctx, clusters, p, source.Options{World: world, Closed: closed})
		if err != nil {
			return nil, err
		}
		if len(known) > 0 {
			found.Empty = slices.DeleteFunc(found.Empty, func(i int) bool { return !slices.Contains(out.empty, i) })
		}
		out.take(found)
		for _, o := range found.Objects {
			_, is := made[o.Key()]
			if known[o.Key()] || is || o.Group == v1alpha1.GroupVersion.Group || !placeable(fleet, p, o.Identifier) {
				out.selected = slices.DeleteFunc(out.selected, func(id manifest.Identifier) bool { return id.Key() == o.Key() && !known[o.Key()] })
				continue
			}
			out.objects = append(out.objects, &Object{Identifier: o.Identifier, Outgoing: o.Content})
		}
	}
	if err := out.readHost(ctx, clusters.Hub); err != nil {
		return nil, err
	}
	out.findGivers(p.Reference, fleet, made, clusters.Hub.FieldManager(""))
	out.leaveForeign(p.Reference, options)
	if err := out.onHost(ctx, clusters.Hub, p, fleet, policy, clusters.Schema); err != nil {
		return nil, err
	}
	out.refuseHomeless(world.Namespaces)
	return out, nil
}

func (c *content) take(found *source.Content) {
	for _, id := range found.Selected {
		if !slices.ContainsFunc(c.selected, func(other manifest.Identifier) bool { return other.Key() == id.Key() }) {
			c.selected = append(c.selected, id)
		}
	}
	c.empty, c.defines = found.Empty, append(c.defines, found.Defines)
	c.unselected = append(c.unselected, found.Unselected...)
	if c.definitions == nil {
		c.definitions = engine.Definitions{}
	}
	maps.Copy(c.definitions, found.Definitions)
}

// placeable tells whether the host places objects of a kind. One that a selector does not name by its kind is left out, as are those that come
// with a Namespace.
func placeable(fleet *host.Fleet, p engine.Placement, id manifest.Identifier) bool {
	if _, is := fleet.Types[id.GroupVersionKind()]; is {
		return true
	}
	return slices.ContainsFunc(p.Spec.ResourceSelectors, func(s placement.ResourceSelector) bool { return s.Group == id.Group && s.Kind == id.Kind })
}

// readHost reads the objects on the host cluster.
func (c *content) readHost(ctx context.Context, cluster *kube.Cluster) error {
	ids := make([]manifest.Identifier, len(c.objects))
	for i, o := range c.objects {
		ids[i] = o.Identifier
	}
	live, err := host.Objects(ctx, cluster, ids)
	if err != nil {
		return err
	}
	for _, o := range c.objects {
		o.Live = live[o.Key()]
	}
	return nil
}

// onHost determines what members will be sent of the objects.
func (c *content) onHost(
	ctx context.Context, cluster *kube.Cluster, p engine.Placement, fleet *host.Fleet, policy v1alpha1.PropagationPolicySpec, known diff.Schema,
) error {
	held, err := c.heldAutoscalers(ctx, cluster, fleet, policy)
	if err != nil {
		return err
	}
	made := host.MadeBy(fleet.PolicyLive)
	disputes := disputing{placement: p, fleet: fleet, manager: cluster.FieldManager(""), heldAutoscalers: held}
	lines := []string{"the host cannot place what is asked for:"}
	for _, o := range c.objects {
		_, ours := made[o.Key()]
		lines = append(lines, disputes.of(o, ours)...)
	}
	if len(lines) > 1 {
		return joined(lines)
	}
	if err := c.askPermissions(ctx, cluster, fleet); err != nil {
		return err
	}
	var group errgroup.Group
	group.SetLimit(writesAtOnce)
	for _, o := range c.objects {
		group.Go(func() error { return o.foresee(ctx, cluster, known) })
	}
	return group.Wait()
}

// joined returns an error of several lines. A diagnostic shows each of the joined errors in a line of its own.
func joined(lines []string) error {
	var errs []error
	for _, line := range lines {
		errs = append(errs, errors.New(line))
	}
	return errors.Join(errs...)
}

// refuseHomeless rejects objects in a Namespace that the host does not have, and that no manifest of the placement or of another one of the run creates there.
func (c *content) refuseHomeless(namespaces engine.Namespaces) {
	for _, o := range c.objects {
		brought := slices.ContainsFunc(c.objects, func(other *Object) bool { return other.IsNamespace() && other.Name == o.Namespace })
		for _, created := range namespaces {
			brought = brought || created[o.Namespace] != ""
		}
		if o.homeless && !brought {
			o.Refused = fmt.Errorf("it has no Namespace %s. Make it there, or add its manifest: a host brings its Namespaces to every member", o.Namespace)
		}
	}
}

// askPermissions asks which of the objects that the provider makes on the host the credentials may write. Who may not even ask may hardly write.
func (c *content) askPermissions(ctx context.Context, cluster *kube.Cluster, fleet *host.Fleet) error {
	check := func(o *Object) kube.Check {
		gvr := o.GroupVersionKind().GroupVersion().WithResource(fleet.Types[o.GroupVersionKind()].Spec.SourceType.PluralName)
		out := kube.Check{Verb: "patch", GVR: gvr, Namespace: o.Namespace}
		if o.Live == nil {
			out.Verb = "create"
		}
		return out
	}
	var checks []kube.Check
	for _, o := range c.objects {
		if o.Manifest != nil {
			checks = append(checks, check(o))
		}
	}
	if len(checks) == 0 {
		return nil
	}
	allowed, err := cluster.CanI(ctx, checks)
	if clusterset.IsUnavailable(err) {
		return clusterset.Unreachable(cluster.Name(), err)
	}
	for _, o := range c.objects {
		o.writable = o.Manifest != nil && allowed[check(o)]
	}
	return nil
}

// writesAtOnce is how many writes are tried at once.
const writesAtOnce = 8

// foresee finds out what the host makes of a manifest, with a dry run, and what members are sent of the object. A host that may not be asked, or
// cannot tell yet because the Namespace is not there, leaves the manifest as it is.
func (o *Object) foresee(ctx context.Context, cluster *kube.Cluster, known diff.Schema) error {
	if o.Manifest == nil {
		if o.Live == nil { // it has gone a moment ago
			o.Outgoing = convert.ForMember(convert.Template(o.Outgoing))
			return nil
		}
		o.Outgoing, o.Filled = convert.ForMember(convert.Template(o.Live)), true
		return nil
	}
	if !o.writable {
		o.compare(known)
		return nil
	}
	var made *unstructured.Unstructured
	var err error
	if o.Live == nil {
		made, err = cluster.Create(ctx, o.Manifest, kube.WriteOptions{DryRun: true, Strict: true})
	} else {
		made, err = o.tryApply(ctx, cluster)
	}
	switch {
	case err == nil:
		o.Filled = true
	case clusterset.IsUnavailable(err):
		return clusterset.Unreachable(cluster.Name(), err)
	case kube.IsInvalid(err) || kube.IsMalformed(err):
		o.Refused = err
		made = o.Manifest
	default:
		o.homeless = o.Live == nil && kube.IsNotFound(err)
		o.compare(known)
		return nil
	}
	o.Outgoing = convert.ForMember(convert.Template(made))
	return nil
}

// tryApplies bounds how often an apply is tried of an object that others write meanwhile.
const tryApplies = 5

// tryApply determines with a dry run whether an apply changes the object on the host cluster. The control plane writes annotations to the object at
// any time. If the object was written after it was read, the result says nothing about the apply, and tryApply reads the object again.
func (o *Object) tryApply(ctx context.Context, cluster *kube.Cluster) (made *unstructured.Unstructured, err error) {
	for range tryApplies {
		made, o.Changing, err = cluster.ApplyServerSide(ctx, host.With(o.Manifest, convert.KeysIn(o.Live)), o.Live, kube.ApplyOptions{Force: true, DryRun: true, Strict: true})
		if err != nil || !o.Changing || made.GetResourceVersion() == o.Live.GetResourceVersion() {
			return made, err
		}
		now, err := cluster.Get(kube.ReadAnew(ctx), o.GroupVersionKind(), o.Namespace, o.Name)
		if err != nil {
			return made, err
		}
		o.Live = now
	}
	return made, nil
}

// compare takes the object for what is written, where the host cannot be asked what it makes of it: or for what it is, if that has all of it.
func (o *Object) compare(known diff.Schema) {
	made := o.Manifest
	if o.Live != nil {
		if o.Changing = diff.Partial(known, o.Manifest, o.Live).Differs(); !o.Changing {
			made, o.Filled = o.Live, true
		}
	}
	o.Outgoing = convert.ForMember(convert.Template(made))
}
