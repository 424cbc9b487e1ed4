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

// Content is the content of a placement. All clusters share it, so it must not be changed.
type Content struct {
	// Selected are the objects that the selectors select; an envelope is one object. Objects are the same objects, with the contents of each envelope in place of
	// the envelope, except for the types in Options.Closed.
	Selected []manifest.Identifier
	Objects  []Object
	// Empty are the indices of the selectors that select nothing.
	Empty []int
	// Unselected are manifests of the placement that no selector selects. Skipped are selected objects that are never placed.
	Unselected []manifest.Identifier
	Skipped    []selection.Skipped
	Hash       string
	// Canonicals are the canonical forms of the placement's own manifests.
	Canonicals manifest.Canonicals

	// Definitions are the CustomResourceDefinitions among the Objects.
	Definitions engine.Definitions

	defined map[schema.GroupVersionKind]bool
	closed  []manifest.Object

	// isWriteOnly reports whether an object comes from write-only manifests.
	isWriteOnly func(manifest.Identifier) bool
}

// Options configure how a content is resolved.
type Options struct {
	// World has the changes that the same run makes before it applies the placement.
	World engine.World
	// Closed are the types of envelopes that are placed as objects, instead of their contents.
	Closed []envelope.Type
	// Kept returns the objects in which a hub stores an envelope. If Kept is nil, the hub stores each envelope in a ConfigMap.
	Kept func(envelope.Spec) ([]*unstructured.Unstructured, error)
}

// Object is an object with the hash of its content.
type Object struct {
	manifest.Object
	Hash string
}

// NewObject returns an object with its hash.
func NewObject(object manifest.Object) Object { return Object{Object: object, Hash: object.Hash()} }

// Resolve resolves the selectors on the hub, if there is one, and among the placement's own manifests. Without selectors, all manifests are placed.
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
	if p.Namespace != "" && clusters.Hub != nil { // a namespaced placement has no manifests
		found, err := resolveOnHub(ctx, clusters.Hub, p.Namespace, selectors, options)
		if err != nil {
			return nil, err
		}
		return newContent(found, options.Closed)
	}
	found, err := selection.ResolveManifests(selectors, own, newScope(ctx, clusters))
	if clusters.Hub == nil {
		if err != nil {
			return nil, err
		}
		return newContent(found, options.Closed)
	}
	nowhere := isNoNamespace(err)
	if err != nil && !nowhere {
		return nil, err
	}
	fromHub, err := resolveOnHub(ctx, clusters.Hub, "", selectors, options)
	switch {
	case isNoNamespace(err) && !nowhere:
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

// isNoNamespace reports whether err means that a selected Namespace does not exist on the hub, or is not among the manifests.
func isNoNamespace(err error) bool {
	selectionErr, ok := errors.AsType[*selection.Error](err)
	return ok && selectionErr.NoNamespace
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
		if err := checkReserved(object.Identifier); err != nil {
			return nil, err
		}
		hashed := NewObject(object)
		out.Objects = append(out.Objects, hashed)
		hashes = append(hashes, hashLine(hashed))
		if manifest.IsDefinition(object.Identifier) {
			out.Definitions[object.Key()] = manifest.DefinedKinds(object.Content)
			for _, gvk := range out.Definitions[object.Key()] {
				out.defined[gvk] = true
			}
		}
	}
	out.Hash = sumOfHashes(hashes)
	return out, nil
}

func hashLine(o Object) string { return o.Key().String() + "=" + o.Hash }

func sumOfHashes(hashes []string) string {
	slices.Sort(hashes)
	return manifest.Hash(map[string]any{"objects": strings.Join(hashes, "\n")})
}

// Hash returns the hash of objects, independently of their order.
func Hash(objects []manifest.Object) string {
	hashes := make([]string, len(objects))
	for i, o := range objects {
		hashes[i] = hashLine(NewObject(o))
	}
	return sumOfHashes(hashes)
}

// Closed returns the objects of the content with each envelope as one object, as a hub stores them.
func (c *Content) Closed() []manifest.Object { return c.closed }

// ClosedHash returns the hash of the objects that [Content.Closed] returns.
func (c *Content) ClosedHash() string { return Hash(c.closed) }

// checkReserved returns an error for a reserved Namespace, and for an object in one, such as a record of this provider. It applies to objects from the hub,
// manifests and envelopes.
func checkReserved(id manifest.Identifier) error {
	name := id.Namespace
	if id.IsNamespace() {
		name = id.Name
	}
	if !selection.ReservedContent(name) {
		return nil
	}
	return fmt.Errorf("%s cannot be placed: the namespace %s is reserved for the cluster or the fleet. Remove it from the placement", id, name)
}

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

// Namespaced reports whether any of the objects is in a namespace.
func (c *Content) Namespaced() bool {
	return slices.ContainsFunc(c.Objects, func(o Object) bool { return o.Namespace != "" })
}

// Defines reports whether the placement contains the definition of a kind in this version.
func (c *Content) Defines(gvk schema.GroupVersionKind) bool { return c.defined[gvk] }

// Container is an object whose deletion deletes others: those in a Namespace, or the objects of a CustomResourceDefinition's kind.
type Container struct {
	// Namespace is the name of a Namespace, empty for a definition. Kind is the defined kind, empty for a Namespace.
	Namespace string
	Kind      schema.GroupKind
}

// AsContainer returns the Container for a Namespace, or for a definition that exists. isContainer is false for any other object.
func AsContainer(id manifest.Identifier, live *unstructured.Unstructured) (container Container, isContainer bool) {
	switch {
	case id.IsNamespace():
		return Container{Namespace: id.Name}, true
	case manifest.IsDefinition(id) && live != nil:
		return Container{Kind: manifest.DefinedKind(live)}, true
	default:
		return Container{}, false
	}
}

// Holds reports whether the deletion of the container deletes an object.
func (c Container) Holds(id manifest.Identifier) bool {
	if c.Namespace != "" {
		return id.Namespace == c.Namespace
	}
	return id.Group == c.Kind.Group && id.Kind == c.Kind.Kind
}
