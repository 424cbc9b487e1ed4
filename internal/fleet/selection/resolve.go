package selection

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Resolve resolves selectors against a hub that serves these kinds, as KubeFleet does for a ClusterResourcePlacement:
//
//   - a selector of a kind that is never placed selects nothing;
//   - a Namespace selector selects the Namespace and what is in it, unless its scope says otherwise;
//   - a selector of another cluster-scoped kind selects by name, by label, or all;
//   - a selector of a namespaced kind is an error unless a Namespace selector of scope NamespaceWithResourceSelectors opens a namespace;
//   - what is not there by name is no error; an object that two selectors reach is one.
//
// Faults of the selectors are errors of type *[Error]; other errors are the lister's. The objects are stripped copies.
func Resolve(selectors []placement.ResourceSelector, kinds []Kind, list Lister) (Selection, error) {
	return newResolver(selectors, kinds).selection(list)
}

// ResolveIn resolves the selectors of a ResourcePlacement, which reach what is in its namespace: a selector of a cluster-scoped kind is an
// error.
func ResolveIn(namespace string, selectors []placement.ResourceSelector, kinds []Kind, list Lister) (Selection, error) {
	r := newResolver(selectors, kinds)
	r.namespace = namespace
	return r.selection(list)
}

func (r *resolver) selection(list Lister) (Selection, error) {
	// Which queries there are depends on answers: the content of namespaces on the namespaces. So the selectors are resolved over and
	// over with the answers there are, until no question is left open.
	for {
		var c collection
		err := r.resolve(&c)
		more, listErr := r.ask(list)
		switch {
		case listErr != nil:
			return Selection{}, listErr
		case more:
			continue
		case err != nil:
			return Selection{}, err
		}
		for i, o := range c.selection.Objects {
			content := Strip(o.Content)
			content.SetGroupVersionKind(o.GroupVersionKind())
			c.selection.Objects[i].Content = content
		}
		return c.sorted(), nil
	}
}

type resolver struct {
	selectors []placement.ResourceSelector
	// namespace is that of a ResourcePlacement; empty for a ClusterResourcePlacement.
	namespace string
	kinds     map[schema.GroupVersionKind]Kind
	// content are the kinds of which a namespace brings its objects.
	content []Kind
	answers map[queryKey][]*unstructured.Unstructured
	pending []Query
}

func newResolver(selectors []placement.ResourceSelector, kinds []Kind) *resolver {
	r := &resolver{
		selectors: selectors,
		kinds:     make(map[schema.GroupVersionKind]Kind, len(kinds)),
		answers:   map[queryKey][]*unstructured.Unstructured{},
	}
	for _, k := range kinds {
		if strings.Contains(k.Resource, "/") {
			continue
		}
		r.kinds[k.groupVersionKind()] = k
		if _, denied := deniedInNamespace(k.groupVersionKind().GroupKind()); k.tracked() && k.Namespaced && !denied {
			r.content = append(r.content, k)
		}
	}
	return r
}

// resolve runs through all selectors, even behind an error, so that all queries become known at once. It returns the first error.
func (r *resolver) resolve(c *collection) error {
	var first error
	note := func(err error) {
		if first == nil {
			first = err
		}
	}
	opened := r.namespace
	if i, found := narrowing(r.selectors); found && r.namespace == "" {
		name, err := r.openedNamespace(i)
		note(err)
		opened = name
	}
	for i, s := range r.selectors {
		if reason, denied := Denied(kindOf(s).GroupKind()); denied {
			c.skip(i, manifest.Identifier{Group: s.Group, Version: s.Version, Kind: s.Kind}, reason)
			note(c.add(i, nil))
			continue
		}
		objects, err := r.selected(c, i, s, opened)
		note(err)
		note(c.add(i, objects))
	}
	return first
}

func (r *resolver) selected(c *collection, i int, s placement.ResourceSelector, opened string) ([]manifest.Object, error) {
	if kindOf(s) == namespaceKind && bringsContent(s) && r.namespace == "" {
		return r.namespaces(i, s)
	}
	return r.objects(c, i, s, opened)
}

// openedNamespace resolves the selector that opens a namespace. Upstream treats a reserved namespace as one that is not there.
func (r *resolver) openedNamespace(i int) (string, error) {
	objects, err := r.objects(&collection{}, i, r.selectors[i], "")
	if err != nil {
		return "", err
	}
	if len(objects) != 1 || ReservedNamespace(objects[0].Name) {
		return "", errNotExactlyOne(i)
	}
	return objects[0].Name, nil
}

// objects resolves a selector to the objects that it names, and to nothing inside them.
func (r *resolver) objects(c *collection, i int, s placement.ResourceSelector, opened string) ([]manifest.Object, error) {
	kind, err := r.kind(i, kindOf(s))
	if err != nil {
		return nil, err
	}
	query := Query{Kind: kind, Name: s.Name}
	if !kind.Namespaced && r.namespace != "" {
		return nil, errClusterScoped(i, kind.Resource)
	}
	if kind.Namespaced {
		if opened == "" {
			return nil, errNamespaced(i, kind.Resource)
		}
		query.Namespace = opened
	}
	var objects []manifest.Object
	found, err := r.matching(i, s, query)
	services := r.servicesFor(kind, opened)
	for _, u := range found {
		id := identify(kind, u)
		if reason, never := neverPlaced(kind.groupVersionKind(), u, services); never {
			c.skip(i, id, reason)
			continue
		}
		objects = append(objects, manifest.Object{Identifier: id, Content: u})
	}
	return objects, err
}

// namespaces resolves a Namespace selector of the default scope: the namespaces with their content.
func (r *resolver) namespaces(i int, s placement.ResourceSelector) ([]manifest.Object, error) {
	kind, err := r.kind(i, namespaceKind)
	if err != nil {
		return nil, err
	}
	if s.Name != "" && ReservedNamespace(s.Name) {
		return nil, errReserved(i, s.Name)
	}
	found, err := r.matching(i, s, Query{Kind: kind, Name: s.Name})
	if err != nil {
		return nil, err
	}
	var objects []manifest.Object
	for _, namespace := range found {
		// One reserved namespace makes the whole placement fail; it is not left out.
		if ReservedNamespace(namespace.GetName()) {
			return nil, errReserved(i, namespace.GetName())
		}
		if namespace.GetDeletionTimestamp() != nil {
			continue
		}
		objects = append(objects, manifest.Object{Identifier: identify(kind, namespace), Content: namespace})
		objects = append(objects, r.contentOf(namespace.GetName())...)
	}
	return objects, nil
}

func (r *resolver) contentOf(namespace string) []manifest.Object {
	var objects []manifest.Object
	for _, kind := range r.content {
		services := r.servicesFor(kind, namespace)
		for _, u := range r.fetch(Query{Kind: kind, Namespace: namespace}) {
			if u.GetNamespace() != namespace {
				continue
			}
			if _, never := neverPlaced(kind.groupVersionKind(), u, services); !never {
				objects = append(objects, manifest.Object{Identifier: identify(kind, u), Content: u})
			}
		}
	}
	return objects
}

// kind finds the kind of a selector. Of a kind in a version that the hub serves but does not prefer, upstream says that it is not
// cluster-scoped.
func (r *resolver) kind(selector int, gvk schema.GroupVersionKind) (Kind, error) {
	kind, found := r.kinds[gvk]
	if !found {
		return Kind{}, &Error{Selector: selector, Message: fmt.Sprintf(
			"failed to get GVR of the selector: no matches for kind %q in version %q", gvk.Kind, gvk.GroupVersion())}
	}
	if !kind.tracked() {
		message := fmt.Sprintf("%s cannot be selected in version %q: the hub does not follow it", gvk.Kind, gvk.GroupVersion())
		for _, other := range r.kinds {
			if other.Group == kind.Group && other.Kind == kind.Kind && other.tracked() {
				message += fmt.Sprintf("; select version %q, which it prefers", other.Version)
			}
		}
		return Kind{}, &Error{Selector: selector, Message: message}
	}
	return kind, nil
}

// matching asks for the objects that a selector matches, and sorts them, so that the outcome does not depend on the lister.
func (r *resolver) matching(i int, s placement.ResourceSelector, query Query) ([]*unstructured.Unstructured, error) {
	labels, err := matcher(s, i)
	if err != nil {
		return nil, err
	}
	query.LabelSelector = labels.String()
	var found []*unstructured.Unstructured
	for _, u := range r.fetch(query) {
		if u.GetNamespace() == query.Namespace && (s.Name == "" || u.GetName() == s.Name) && labels.Matches(labelsOf(u)) {
			found = append(found, u)
		}
	}
	slices.SortFunc(found, func(a, b *unstructured.Unstructured) int { return strings.Compare(a.GetName(), b.GetName()) })
	return found, nil
}

// servicesFor lists the Services of a namespace, which are only of interest to Endpoints.
func (r *resolver) servicesFor(kind Kind, namespace string) map[namespacedName]bool {
	services, known := r.kinds[serviceKind]
	if kind.groupVersionKind() != endpointsKind || !known {
		return nil
	}
	names := map[namespacedName]bool{}
	for _, u := range r.fetch(Query{Kind: services, Namespace: namespace}) {
		names[namespacedName{u.GetNamespace(), u.GetName()}] = true
	}
	return names
}

func identify(kind Kind, u *unstructured.Unstructured) manifest.Identifier {
	return manifest.Identifier{
		Group: kind.Group, Version: kind.Version, Kind: kind.Kind, Namespace: u.GetNamespace(), Name: u.GetName(),
	}
}
