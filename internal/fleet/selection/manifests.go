package selection

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Scope tells whether a kind is namespaced, if that is known.
type Scope func(schema.GroupKind) (namespaced, known bool)

// ResolveManifests resolves selectors over given manifests as [Resolve] does over a hub, with these differences, which come from the
// manifests being written for the purpose:
//
//   - a namespace is there if its Namespace is, or anything in it;
//   - nothing is stripped: no API server has added anything;
//   - what is in a reserved namespace is selected, and reported;
//   - what is never placed is reported even where a namespace brings it;
//   - a kind that no manifest has is no error.
//
// Where scope does not know a kind, manifests with a namespace are taken as namespaced.
func ResolveManifests(selectors []placement.ResourceSelector, objects []manifest.Object, scope Scope) (Selection, error) {
	r := &manifestResolver{objects: objects, scope: scope, services: map[namespacedName]bool{}}
	for _, o := range objects {
		if o.GroupVersionKind() == serviceKind {
			r.services[namespacedName{o.Namespace, o.Name}] = true
		}
	}
	opened := ""
	if i, found := narrowing(selectors); found {
		opened = selectors[i].Name
		if !slices.ContainsFunc(objects, func(o manifest.Object) bool { return inNamespace(o, opened) }) {
			return Selection{}, errNotExactlyOne(i)
		}
	}
	for i, s := range selectors {
		found, err := r.selected(i, s, opened)
		if err != nil {
			return Selection{}, err
		}
		placed := found[:0:0]
		for _, o := range found {
			if reason, never := r.neverPlaced(o, s); never {
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
		if _, selected := r.selectors[o.Identifier]; !selected && !r.skipped(o.Identifier) {
			r.selection.Unselected = append(r.selection.Unselected, o.Identifier)
		}
	}
	return r.sorted(), nil
}

type manifestResolver struct {
	collection
	objects  []manifest.Object
	scope    Scope
	services map[namespacedName]bool
}

func (r *manifestResolver) selected(i int, s placement.ResourceSelector, opened string) ([]manifest.Object, error) {
	labels, err := matcher(s, i)
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
	case kindOf(s) == namespaceKind && bringsContent(s):
		return r.filter(func(o manifest.Object) bool {
			return matches(o) || o.Namespace != "" && r.namespaceMatches(o.Namespace, s, labels.Empty(), matches)
		}), nil
	case r.namespaced(s):
		if opened == "" {
			return nil, errNamespaced(i, s.Kind)
		}
		return r.filter(func(o manifest.Object) bool { return o.Namespace == opened && matches(o) }), nil
	default:
		return r.filter(matches), nil
	}
}

// namespaceMatches tells whether a selector takes a namespace that has content: by its name, by its Namespace, or because it takes all.
func (r *manifestResolver) namespaceMatches(
	namespace string, s placement.ResourceSelector, all bool, matches func(manifest.Object) bool,
) bool {
	if s.Name != "" {
		return s.Name == namespace
	}
	return all || slices.ContainsFunc(r.objects, func(o manifest.Object) bool { return o.Name == namespace && matches(o) })
}

func (r *manifestResolver) namespaced(s placement.ResourceSelector) bool {
	if r.scope != nil {
		if namespaced, known := r.scope(kindOf(s).GroupKind()); known {
			return namespaced
		}
	}
	return slices.ContainsFunc(r.objects, func(o manifest.Object) bool {
		return o.GroupVersionKind() == kindOf(s) && o.Namespace != ""
	})
}

func (r *manifestResolver) neverPlaced(o manifest.Object, s placement.ResourceSelector) (reason string, never bool) {
	denied := Denied
	if kindOf(s) == namespaceKind {
		denied = deniedInNamespace
	}
	if reason, never = denied(o.GroupVersionKind().GroupKind()); never {
		return reason, true
	}
	return neverPlaced(o.GroupVersionKind(), o.Content, r.services)
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

// inNamespace tells whether an object is a namespace or in it.
func inNamespace(o manifest.Object, namespace string) bool {
	return o.Namespace == namespace && namespace != "" || o.GroupVersionKind() == namespaceKind && o.Name == namespace
}
