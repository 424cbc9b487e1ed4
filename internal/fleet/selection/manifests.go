package selection

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Scope reports whether a kind is namespaced, if that is known.
type Scope func(schema.GroupKind) (namespaced, known bool)

// ResolveManifests resolves selectors to given manifests as [Resolve] does to objects on a hub. The differences are due to the manifests,
// which are written for the placement:
//
//   - a namespace exists if its Namespace, or any object in it, is among the manifests;
//   - nothing is stripped: no API server has added fields;
//   - objects in a reserved namespace are selected and reported;
//   - objects that are never placed are reported even if they are the content of a namespace;
//   - a kind without manifests is not an error.
//
// If scope is nil or does not return the scope of a kind, the kind counts as namespaced if a manifest of this kind has a namespace.
func ResolveManifests(selectors []placement.ResourceSelector, objects []manifest.Object, scope Scope) (Selection, error) {
	r := &manifestResolver{objects: objects, scope: scope, services: map[namespacedName]bool{}}
	for _, o := range objects {
		if o.GroupVersionKind() == serviceKind {
			r.services[namespacedName{o.Namespace, o.Name}] = true
		}
	}
	opened := ""
	if i, found := findOpeningSelector(selectors); found {
		opened = selectors[i].Name
		if !slices.ContainsFunc(objects, func(o manifest.Object) bool { return isInNamespace(o, opened) }) {
			return Selection{}, errNotExactlyOne(i)
		}
	}
	for i, s := range selectors {
		found, err := r.selectObjects(i, s, opened)
		if err != nil {
			return Selection{}, err
		}
		placed := found[:0:0]
		for _, o := range found {
			if reason, never := r.neverPlacedReason(o, s); never {
				r.skip(i, o.Identifier, reason)
				continue
			}
			placed = append(placed, o)
		}
		if err := r.add(i, placed); err != nil {
			return Selection{}, err
		}
	}
	for _, o := range objects {
		if _, selected := r.selectors[o.Identifier]; !selected && !r.isSkipped(o.Identifier) {
			r.selection.Unselected = append(r.selection.Unselected, o.Identifier)
		}
	}
	return r.finish(), nil
}

type manifestResolver struct {
	collection
	objects  []manifest.Object
	scope    Scope
	services map[namespacedName]bool
}

func (r *manifestResolver) selectObjects(i int, s placement.ResourceSelector, opened string) ([]manifest.Object, error) {
	labels, err := compileSelector(s, i)
	if err != nil {
		return nil, err
	}
	matches := func(o manifest.Object) bool {
		return o.GroupVersionKind() == kindOf(s) && (s.Name == "" || o.Name == s.Name) && labels.Matches(labelsOf(o.Content))
	}
	_, denied := Denied(kindOf(s).GroupKind())
	switch {
	case denied:
		return r.filter(matches), nil
	case kindOf(s) == namespaceKind && includesContent(s):
		return r.filter(func(o manifest.Object) bool {
			return matches(o) || o.Namespace != "" && r.matchesNamespace(o.Namespace, s, labels.Empty(), matches)
		}), nil
	case r.isNamespaced(s):
		if opened == "" {
			return nil, errNamespaced(i, s.Kind)
		}
		return r.filter(func(o manifest.Object) bool { return o.Namespace == opened && matches(o) }), nil
	default:
		return r.filter(matches), nil
	}
}

// matchesNamespace reports whether a selector selects the content of a namespace: it has the name of the namespace, it matches the manifest of the Namespace,
// or it selects by neither name nor labels. all means that the selector has no labels.
func (r *manifestResolver) matchesNamespace(
	namespace string, s placement.ResourceSelector, all bool, matches func(manifest.Object) bool,
) bool {
	if s.Name != "" {
		return s.Name == namespace
	}
	return all || slices.ContainsFunc(r.objects, func(o manifest.Object) bool { return o.Name == namespace && matches(o) })
}

func (r *manifestResolver) isNamespaced(s placement.ResourceSelector) bool {
	if r.scope != nil {
		if namespaced, known := r.scope(kindOf(s).GroupKind()); known {
			return namespaced
		}
	}
	return slices.ContainsFunc(r.objects, func(o manifest.Object) bool {
		return o.GroupVersionKind() == kindOf(s) && o.Namespace != ""
	})
}

func (r *manifestResolver) neverPlacedReason(o manifest.Object, s placement.ResourceSelector) (reason string, never bool) {
	denied := Denied
	if kindOf(s) == namespaceKind {
		denied = isDeniedInNamespace
	}
	if reason, never = denied(o.GroupVersionKind().GroupKind()); never {
		return reason, true
	}
	return neverPlacedReason(o.GroupVersionKind(), o.Content, r.services)
}

func (r *manifestResolver) filter(keep func(manifest.Object) bool) []manifest.Object {
	var kept []manifest.Object
	for _, o := range r.objects {
		if keep(o) {
			kept = append(kept, o)
		}
	}
	return kept
}

func isInNamespace(o manifest.Object, namespace string) bool {
	return o.Namespace == namespace && namespace != "" || o.GroupVersionKind() == namespaceKind && o.Name == namespace
}
