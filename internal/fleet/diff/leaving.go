package diff

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// Leaving returns the fields of the object on the member that an apply by a manager removes, by a local comparison and the managedFields: the manager
// alone owns them, and they are not desired any more. With updates, fields that the manager owns by update are removed as well. Among these are the
// defaults that the API server set when the manager created the object, and sets again. Keys of maps and elements of lists have no defaults, so only
// they are returned.
func Leaving(known Schema, desired, live *unstructured.Unstructured, manager string, updates bool) []Difference {
	c := newComparison(desired)
	kind := typeOf(known, desired)
	c.maps(kind, withData(c.kind, Strip(desired)), withData(c.kind, Strip(live)))
	writers := writersOf(live)
	var gone []bool
	for i, difference := range c.differences {
		ours, theirs := false, false
		for _, w := range writers {
			if claimIn(kind, w.fields, c.paths[i]) == claimsNothing {
				continue
			}
			own := w.Name == manager && w.Subresource == "" && (w.Operation == "Apply" || updates && hasNoDefault(kind, c.paths[i]))
			ours, theirs = ours || own, theirs || !own
		}
		gone = append(gone, !difference.HasHub && ours && !theirs)
	}
	var out []Difference
	for i, difference := range c.finish(desired, live) {
		if gone[i] {
			out = append(out, difference)
		}
	}
	return out
}

// hasNoDefault reports whether an API server has no default for what is at a path: an element of a list, the key of a map, or a map.
func hasNoDefault(t Type, path []step) bool {
	around := t
	for _, s := range path {
		around, t = t, inside(t, s)
	}
	return len(path) > 0 && path[len(path)-1].inList || isForm(around, FormMap) || isForm(t, FormMap)
}
