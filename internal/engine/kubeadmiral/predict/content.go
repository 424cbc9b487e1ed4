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
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
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
	// Manifest is the desired object on the host, if it comes from a manifest. It is nil for a selected object.
	Manifest *unstructured.Unstructured
	// Live is the object on the host, or nil if it does not exist.
	Live *unstructured.Unstructured
	// Outgoing is the object as the control plane sends it to members, but without the control plane's labels and annotations.
	Outgoing *unstructured.Unstructured
	// Changing reports that the manifest differs from the object on the host.
	Changing bool
	// observed reports that the control plane has observed Live; see [convert.Federated.Observes].
	observed bool
	// Filled reports that Outgoing includes the defaults of the host's API server.
	Filled bool
	// writable reports that the object comes from a manifest and that the credentials allow the provider to write it on the host.
	writable bool
	// Refused is the reason why the host rejects the manifest. It is nil if the host accepts the manifest or the provider could not check.
	Refused error
	// lacksNamespace reports that the object's Namespace does not exist on the host.
	lacksNamespace bool
	// Giver is the placement from which this placement takes the object over, or nil.
	Giver *host.Giver
}

// Held reports whether the object on the host has the annotation that excludes the object from placement, for example after an incomplete removal.
func (o *Object) Held() bool {
	return o.Live != nil && o.Live.GetAnnotations()[v1alpha1.NoFederatedResourceAnnotation] != ""
}

type content struct {
	objects []*Object
	// foreign are the objects of other placements. They are not in objects.
	foreign     []foreign
	selected    []manifest.Identifier
	empty       []int
	unselected  []manifest.Identifier
	defines     []func(schema.GroupVersionKind) bool
	definitions engine.Definitions
}

// closed are the types of the envelopes that are placed as they are: all types, because a host does not extract the contents of envelopes.
var closed = []envelope.Type{envelope.TypeConfigMap, envelope.TypeResourceEnvelope, envelope.TypeClusterResourceEnvelope}

// resolve returns the objects of a placement: the objects in its manifests, and the objects on the host that its selectors match. It ignores matching
// objects that the provider created on the host from manifests, matching objects of KubeAdmiral's own API group, and matching objects that are not
// placeable: see isPlaceable.
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
			if known[o.Key()] || is || o.Group == v1alpha1.GroupVersion.Group || !isPlaceable(fleet, p, o.Identifier) {
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
	out.rejectMissingNamespaces(world.Namespaces)
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

// isPlaceable reports whether the host places objects of the kind, or a selector names the kind. Objects of other kinds are omitted, for example if they are
// selected only as contents of a Namespace.
func isPlaceable(fleet *host.Fleet, p engine.Placement, id manifest.Identifier) bool {
	if _, is := fleet.Types[id.GroupVersionKind()]; is {
		return true
	}
	return slices.ContainsFunc(p.Spec.ResourceSelectors, func(s placement.ResourceSelector) bool { return s.Group == id.Group && s.Kind == id.Kind })
}

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

// onHost predicts the form in which the host sends the objects to members. It returns an error if the host cannot place an object.
func (c *content) onHost(
	ctx context.Context, cluster *kube.Cluster, p engine.Placement, fleet *host.Fleet, policy v1alpha1.PropagationPolicySpec, known diff.Schema,
) error {
	held, err := c.heldAutoscalers(ctx, cluster, fleet, policy)
	if err != nil {
		return err
	}
	made := host.MadeBy(fleet.PolicyLive)
	disputes := disputeCheck{placement: p, fleet: fleet, manager: cluster.FieldManager(""), heldAutoscalers: held}
	lines := []string{"the host cluster cannot place these objects:"}
	for _, o := range c.objects {
		_, ours := made[o.Key()]
		lines = append(lines, disputes.of(o, ours)...)
	}
	if len(lines) > 1 {
		return joinLines(lines)
	}
	if err := c.askPermissions(ctx, cluster, fleet); err != nil {
		return err
	}
	var group errgroup.Group
	group.SetLimit(kube.MaxParallel)
	for _, o := range c.objects {
		group.Go(func() error { return o.predictOutgoing(ctx, cluster, known) })
	}
	return group.Wait()
}

// joinLines joins the lines as separate errors, because a diagnostic shows each joined error on its own line.
func joinLines(lines []string) error {
	var errs []error
	for _, line := range lines {
		errs = append(errs, errors.New(line))
	}
	return errors.Join(errs...)
}

// rejectMissingNamespaces rejects objects whose Namespace does not exist on the host, and is created neither by the placement nor in the same run.
func (c *content) rejectMissingNamespaces(namespaces engine.Namespaces) {
	for _, o := range c.objects {
		brought := slices.ContainsFunc(c.objects, func(other *Object) bool { return other.IsNamespace() && other.Name == o.Namespace })
		for _, created := range namespaces {
			brought = brought || created[o.Namespace] != ""
		}
		if o.lacksNamespace && !brought {
			o.Refused = fmt.Errorf("it has no Namespace %s. Create the Namespace on the host cluster, or add its manifest: KubeAdmiral places Namespaces on every member", o.Namespace)
		}
	}
}

// askPermissions sets writable for the objects that the credentials allow the provider to write on the host. If the permissions cannot be checked, no object
// is writable. askPermissions returns an error only if the host is unavailable.
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

// predictOutgoing sets Outgoing. For a selected object, it uses the live object. For a manifest, it uses the result of a dry run on the host. If the host
// rejects the manifest as invalid, it sets Refused and uses the manifest. If the dry run is not allowed or fails for another reason, for example because the
// Namespace of the object does not exist yet, it compares the manifest with the live object. It returns an error only if the host is unavailable.
func (o *Object) predictOutgoing(ctx context.Context, cluster *kube.Cluster, known diff.Schema) error {
	if o.Manifest == nil {
		if o.Live == nil { // the object was deleted since it was selected
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
		o.lacksNamespace = o.Live == nil && kube.IsNotFound(err)
		o.compare(known)
		return nil
	}
	o.Outgoing = convert.ForMember(convert.Template(made))
	return nil
}

// tryApplies is the maximum number of dry runs of an apply while the object keeps changing.
const tryApplies = 5

// tryApply determines with a dry run whether an apply changes the object on the host cluster. The control plane can write annotations to the object at any
// time. If it has done so since the object was read, the dry run does not show whether the apply itself changes the object, and tryApply reads the object
// again.
func (o *Object) tryApply(ctx context.Context, cluster *kube.Cluster) (made *unstructured.Unstructured, err error) {
	for range tryApplies {
		made, o.Changing, err = cluster.ApplyServerSide(ctx, host.With(o.Manifest, convert.KeysIn(o.Live)), o.Live, kube.ApplyOptions{Force: true, DryRun: true, Strict: true})
		if err != nil || !o.Changing || made.GetResourceVersion() == o.Live.GetResourceVersion() {
			return made, err
		}
		now, err := controlplane.ReadNow(ctx, cluster, o.Live)
		if err != nil {
			return made, err
		}
		o.Live = now
	}
	return made, nil
}

// compare sets Changing and Outgoing without a dry run. Outgoing comes from the live object if the live object has all fields of the manifest, and otherwise
// from the manifest.
func (o *Object) compare(known diff.Schema) {
	made := o.Manifest
	if o.Live != nil {
		if o.Changing = len(diff.Partial(known, o.Manifest, o.Live).All()) > 0; !o.Changing {
			made, o.Filled = o.Live, true
		}
	}
	o.Outgoing = convert.ForMember(convert.Template(made))
}
