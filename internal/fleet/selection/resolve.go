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

// Resolve resolves selectors on a hub that serves the given kinds, as KubeFleet does for a ClusterResourcePlacement:
//
//   - a selector of a kind that is never placed selects nothing;
//   - a Namespace selector selects the Namespace and its content, unless the selector has a scope other than NamespaceWithResources;
//   - a selector of another cluster-scoped kind selects objects by name, by label, or all;
//   - a selector of a namespaced kind is an error unless a Namespace selector with scope NamespaceWithResourceSelectors selects the namespace to search;
//   - a name that does not exist is not an error; two selectors that select the same object are an error.
//
// Errors in the selectors are of type *[Error]; other errors are the lister's. The objects are stripped copies.
func Resolve(selectors []placement.ResourceSelector, kinds []Kind, list Lister) (Selection, error) {
	return newResolver(selectors, kinds).run(list)
}

// ResolveIn resolves the selectors of a ResourcePlacement, which select the content of its namespace: a selector of a cluster-scoped kind is
// an error.
func ResolveIn(namespace string, selectors []placement.ResourceSelector, kinds []Kind, list Lister) (Selection, error) {
	r := newResolver(selectors, kinds)
	r.namespace = namespace
	return r.run(list)
}

func (r *resolver) run(list Lister) (Selection, error) {
	// Some queries depend on earlier answers: the content of namespaces depends on the namespaces. The selectors are therefore resolved
	// repeatedly with the answers so far, until no query is pending.
	for {
		var c collection
		err := r.resolve(&c)
		more, listErr := r.runPending(list)
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
		return c.finish(), nil
	}
}

type resolver struct {
	selectors []placement.ResourceSelector
	// namespace is the namespace of a ResourcePlacement; empty for a ClusterResourcePlacement.
	namespace string
	kinds     map[schema.GroupVersionKind]Kind
	// content lists the kinds whose objects are included with a namespace.
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
		if _, denied := isDeniedInNamespace(k.groupVersionKind().GroupKind()); k.isTracked() && k.Namespaced && !denied {
			r.content = append(r.content, k)
		}
	}
	return r
}

// resolve resolves all selectors, even after an error, so that each pass finds every query that does not depend on a pending one. It returns the first
// error.
func (r *resolver) resolve(c *collection) error {
	var first error
	note := func(err error) {
		if first == nil {
			first = err
		}
	}
	opened := r.namespace
	if i, found := findOpeningSelector(r.selectors); found && r.namespace == "" {
		name, err := r.resolveOpenedNamespace(i)
		note(err)
		opened = name
	}
	for i, s := range r.selectors {
		if reason, denied := Denied(kindOf(s).GroupKind()); denied {
			c.skip(i, manifest.Identifier{Group: s.Group, Version: s.Version, Kind: s.Kind}, reason)
			note(c.add(i, nil))
			continue
		}
		objects, err := r.selectObjects(c, i, s, opened)
		note(err)
		note(c.add(i, objects))
	}
	return first
}

func (r *resolver) selectObjects(c *collection, i int, s placement.ResourceSelector, opened string) ([]manifest.Object, error) {
	if kindOf(s) == namespaceKind && includesContent(s) && r.namespace == "" {
		return r.resolveNamespaces(i, s)
	}
	return r.resolveObjects(c, i, s, opened)
}

// resolveOpenedNamespace returns the name of the namespace that the selector with scope NamespaceWithResourceSelectors selects. KubeFleet treats a
// reserved namespace as missing.
func (r *resolver) resolveOpenedNamespace(i int) (string, error) {
	objects, err := r.resolveObjects(&collection{}, i, r.selectors[i], "")
	if err != nil {
		return "", err
	}
	if len(objects) != 1 || ReservedNamespace(objects[0].Name) {
		return "", errNotExactlyOne(i)
	}
	return objects[0].Name, nil
}

// resolveObjects returns the objects that a selector selects itself, without the content of a Namespace. opened is the namespace in which a selector of a
// namespaced kind selects; if opened is empty, the selector is an error.
func (r *resolver) resolveObjects(c *collection, i int, s placement.ResourceSelector, opened string) ([]manifest.Object, error) {
	kind, err := r.findKind(i, kindOf(s))
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
	found, err := r.listMatching(i, s, query)
	services := r.listServices(kind, opened)
	for _, u := range found {
		id := identify(kind, u)
		if reason, never := neverPlacedReason(kind.groupVersionKind(), u, services); never {
			c.skip(i, id, reason)
			continue
		}
		objects = append(objects, manifest.Object{Identifier: id, Content: u})
	}
	return objects, err
}

func (r *resolver) resolveNamespaces(i int, s placement.ResourceSelector) ([]manifest.Object, error) {
	kind, err := r.findKind(i, namespaceKind)
	if err != nil {
		return nil, err
	}
	if s.Name != "" && ReservedNamespace(s.Name) {
		return nil, errReserved(i, s.Name)
	}
	found, err := r.listMatching(i, s, Query{Kind: kind, Name: s.Name})
	if err != nil {
		return nil, err
	}
	var objects []manifest.Object
	for _, namespace := range found {
		// One reserved namespace makes the whole placement fail; it is not skipped.
		if ReservedNamespace(namespace.GetName()) {
			return nil, errReserved(i, namespace.GetName())
		}
		if namespace.GetDeletionTimestamp() != nil {
			continue
		}
		objects = append(objects, manifest.Object{Identifier: identify(kind, namespace), Content: namespace})
		objects = append(objects, r.listContent(namespace.GetName())...)
	}
	return objects, nil
}

func (r *resolver) listContent(namespace string) []manifest.Object {
	var objects []manifest.Object
	for _, kind := range r.content {
		services := r.listServices(kind, namespace)
		for _, u := range r.fetch(Query{Kind: kind, Namespace: namespace}) {
			if u.GetNamespace() != namespace {
				continue
			}
			if _, never := neverPlacedReason(kind.groupVersionKind(), u, services); !never {
				objects = append(objects, manifest.Object{Identifier: identify(kind, u), Content: u})
			}
		}
	}
	return objects
}

// findKind returns the kind of a selector. If the hub serves the version but does not watch it, the error says so. In this case,
// KubeFleet instead reports that the kind is not cluster-scoped.
func (r *resolver) findKind(selector int, gvk schema.GroupVersionKind) (Kind, error) {
	kind, found := r.kinds[gvk]
	if !found {
		return Kind{}, &Error{Selector: selector, Message: fmt.Sprintf(
			"failed to get GVR of the selector: no matches for kind %q in version %q", gvk.Kind, gvk.GroupVersion())}
	}
	if !kind.isTracked() {
		message := fmt.Sprintf("%s cannot be selected in version %q: the hub does not watch this version", gvk.Kind, gvk.GroupVersion())
		for _, other := range r.kinds {
			if other.Group == kind.Group && other.Kind == kind.Kind && other.isTracked() {
				message += fmt.Sprintf("; select version %q, which it prefers", other.Version)
			}
		}
		return Kind{}, &Error{Selector: selector, Message: message}
	}
	return kind, nil
}

// listMatching returns the objects that a selector matches, sorted so that the result does not depend on the lister.
func (r *resolver) listMatching(i int, s placement.ResourceSelector, query Query) ([]*unstructured.Unstructured, error) {
	labels, err := compileSelector(s, i)
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

// listServices returns the Services of a namespace if the kind is Endpoints, and nil for other kinds. Endpoints with the name of a Service are not placed.
func (r *resolver) listServices(kind Kind, namespace string) map[namespacedName]bool {
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
