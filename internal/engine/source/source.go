package source

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
)

// Content is what a placement places. All clusters share it: it is not to be changed.
type Content struct {
	// Selected are the objects that the selectors pick, envelopes closed; Objects have the envelopes opened.
	Selected []manifest.Identifier
	Objects  []Object
	// Empty are the selectors that match nothing.
	Empty []int
	// Unselected are manifests of the placement that no selector picks, Skipped what selectors pick and is never placed.
	Unselected []manifest.Identifier
	Skipped    []selection.Skipped
	// Hash is that of all of it.
	Hash string
	// Canonicals are those of the placement's own manifests.
	Canonicals manifest.Canonicals

	// Definitions are the CustomResourceDefinitions among the Objects.
	Definitions engine.Definitions

	defined map[schema.GroupVersionKind]bool
	closed  []manifest.Object

	// isWriteOnly reports whether an object comes from write-only manifests.
	isWriteOnly func(manifest.Identifier) bool
}

// Options say how a content is resolved.
type Options struct {
	// World is what the same run makes of the hub before.
	World engine.World
	// Closed are the types of envelopes that are placed as they are.
	Closed []envelope.Type
	// Kept are the objects that an envelope is kept in on the hub; nil stands for its ConfigMap.
	Kept func(envelope.Spec) ([]*unstructured.Unstructured, error)
}

// Object is one object with the hash of its content.
type Object struct {
	manifest.Object
	Hash string
}

// NewObject hashes an object.
func NewObject(object manifest.Object) Object { return Object{Object: object, Hash: object.Hash()} }

// Resolve resolves the selectors over the hub, if there is one, and over the placement's own manifests. Without selectors all manifests are
// placed.
func Resolve(ctx context.Context, clusters *clusterset.Set, p engine.Placement, options Options) (*Content, error) {
	if clusters.Hub == nil && len(p.AllManifests()) == 0 {
		return nil, &engine.NothingToPlaceError{}
	}
	own, canonicals, err := parse(p.AllManifests())
	if err != nil {
		return nil, err
	}
	content, err := resolve(ctx, clusters, p, own, options)
	if err != nil {
		return nil, err
	}
	content.Canonicals, content.isWriteOnly = canonicals, engine.IsFrom(p.WriteOnly)
	return content, nil
}

func resolve(ctx context.Context, clusters *clusterset.Set, p engine.Placement, own []manifest.Object, options Options) (*Content, error) {
	selectors := p.Spec.Defaulted().ResourceSelectors
	if len(selectors) == 0 {
		return newContent(selection.Selection{Objects: own}, options.Closed)
	}
	if p.Namespace != "" && clusters.Hub != nil { // and no manifests
		found, err := resolveOnHub(ctx, clusters.Hub, p.Namespace, selectors, options)
		if err != nil {
			return nil, err
		}
		return newContent(found, options.Closed)
	}
	found, err := selection.ResolveManifests(selectors, own, scope(ctx, clusters))
	if clusters.Hub == nil {
		if err != nil {
			return nil, err
		}
		return newContent(found, options.Closed)
	}
	nowhere := noNamespace(err)
	if err != nil && !nowhere {
		return nil, err
	}
	fromHub, err := resolveOnHub(ctx, clusters.Hub, "", selectors, options)
	switch {
	case noNamespace(err) && !nowhere:
		return newContent(found, options.Closed)
	case err != nil:
		return nil, err
	case nowhere:
		for _, o := range own {
			fromHub.Unselected = append(fromHub.Unselected, o.Identifier)
		}
		return newContent(fromHub, options.Closed)
	}
	found.Objects, found.Skipped = append(found.Objects, fromHub.Objects...), append(found.Skipped, fromHub.Skipped...)
	found.Empty = slices.DeleteFunc(found.Empty, func(i int) bool { return !slices.Contains(fromHub.Empty, i) })
	selection.Sort(found.Objects)
	return newContent(found, options.Closed)
}

// noNamespace tells whether a namespace that is opened is not where it was looked for: on the hub, or among the manifests.
func noNamespace(err error) bool {
	wrong, is := errors.AsType[*selection.Error](err)
	return is && wrong.NoNamespace
}

func newContent(found selection.Selection, closed []envelope.Type) (*Content, error) {
	out := &Content{
		Empty: found.Empty, Unselected: found.Unselected, Skipped: found.Skipped, Definitions: engine.Definitions{}, defined: map[schema.GroupVersionKind]bool{},
		closed: found.Objects,
	}
	for _, object := range found.Objects {
		out.Selected = append(out.Selected, object.Identifier)
	}
	objects, errs := envelope.Open(found.Objects, closed...)
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	hashes := make([]string, 0, len(objects))
	for _, object := range objects {
		if err := reserved(object.Identifier); err != nil {
			return nil, err
		}
		hashed := NewObject(object)
		out.Objects = append(out.Objects, hashed)
		hashes = append(hashes, sumOf(hashed))
		if manifest.IsDefinition(object.Identifier) {
			out.Definitions[object.Key()] = manifest.DefinedKinds(object.Content)
			for _, gvk := range out.Definitions[object.Key()] {
				out.defined[gvk] = true
			}
		}
	}
	out.Hash = sum(hashes)
	return out, nil
}

func sumOf(o Object) string { return o.Key().String() + "=" + o.Hash }

func sum(hashes []string) string {
	slices.Sort(hashes)
	return manifest.Hash(map[string]any{"objects": strings.Join(hashes, "\n")})
}

// Hash is that of objects, whatever their order.
func Hash(objects []manifest.Object) string {
	hashes := make([]string, len(objects))
	for i, o := range objects {
		hashes[i] = sumOf(NewObject(o))
	}
	return sum(hashes)
}

// Closed is the content with its envelopes closed, as a hub keeps it.
func (c *Content) Closed() []manifest.Object { return c.closed }

// ClosedHash is the hash of the content with its envelopes closed, as a hub keeps it.
func (c *Content) ClosedHash() string { return Hash(c.closed) }

// reserved refuses an object that the cluster or the fleet lives by, such as a record of this provider, wherever it comes from.
func reserved(id manifest.Identifier) error {
	name := id.Namespace
	if id.Group == "" && id.Kind == "Namespace" {
		name = id.Name
	}
	if !selection.ReservedContent(name) {
		return nil
	}
	return fmt.Errorf("%s cannot be placed: the namespace %s is reserved for the cluster or the fleet. Take it out of the placement", id, name)
}

// parse reads the placement's own manifests, in the order of their keys.
func parse(manifests map[string]string) ([]manifest.Object, manifest.Canonicals, error) {
	var out []manifest.Object
	canonicals := manifest.Canonicals{}
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(manifests)) {
		objects, canonical, err := manifest.ParseCanonical(key, manifests[key])
		if err != nil {
			errs = append(errs, err)
		}
		canonicals[manifests[key]] = canonical
		out = append(out, objects...)
	}
	return out, canonicals, errors.Join(errs...)
}

// Namespaced tells whether any of the objects is in a namespace.
func (c *Content) Namespaced() bool {
	return slices.ContainsFunc(c.Objects, func(o Object) bool { return o.Namespace != "" })
}

// Defines tells whether the placement brings the definition of a kind with it, and in that version.
func (c *Content) Defines(gvk schema.GroupVersionKind) bool { return c.defined[gvk] }

// Container is an object that takes others with it when it is deleted: a Namespace what is in it, a CustomResourceDefinition the objects of its
// kind.
type Container struct {
	// Namespace is what it is called, empty for a definition; Kind is what is defined, empty for a Namespace.
	Namespace string
	Kind      schema.GroupKind
}

// AsContainer tells whether an object is one. A definition that was deleted defines nothing.
func AsContainer(id manifest.Identifier, live *unstructured.Unstructured) (container Container, is bool) {
	switch {
	case id.Group == "" && id.Kind == "Namespace":
		return Container{Namespace: id.Name}, true
	case manifest.IsDefinition(id) && live != nil:
		return Container{Kind: manifest.DefinedKind(live)}, true
	default:
		return Container{}, false
	}
}

// Holds tells whether an object goes with it.
func (c Container) Holds(id manifest.Identifier) bool {
	if c.Namespace != "" {
		return id.Namespace == c.Namespace
	}
	return id.Group == c.Kind.Group && id.Kind == c.Kind.Kind
}
