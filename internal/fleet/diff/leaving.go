package diff

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// Leaving returns the fields of the object on the member that an apply by a manager removes. It relies on a local comparison and on the managedFields: only
// this manager owns these fields, and they are no longer desired. If updates is true, the apply also removes fields that the manager owns by operation Update.
// The API server sets some of these again, as defaults. Of the fields that are owned by Update, Leaving therefore returns only those without a default: maps,
// keys of maps, and elements of lists.
func Leaving(known Schema, desired, live *unstructured.Unstructured, manager string, updates bool) []Difference {
	compared := newWalk(desired, live)
	kind := typeOf(known, desired)
	source, target := withIgnored(Strip(desired), desired), withIgnored(Strip(live), live)
	compared.compareMaps(kind, mergeStringData(compared.kind, source), mergeStringData(compared.kind, target), false)
	writers := parseWriters(live)
	var isRemoved []bool
	for i, difference := range compared.differences {
		ours, theirs := false, false
		for _, w := range writers {
			if findTypedClaim(kind, w.fields, compared.paths[i]) == claimsNothing {
				continue
			}
			own := w.Name == manager && w.Subresource == "" && (w.Operation == "Apply" || updates && hasNoDefault(kind, compared.paths[i]))
			ours, theirs = ours || own, theirs || !own
		}
		isRemoved = append(isRemoved, !difference.HasHub && ours && !theirs)
	}
	var out []Difference
	for i, difference := range compared.finish(live) {
		if isRemoved[i] {
			out = append(out, difference)
		}
	}
	return out
}

// hasNoDefault reports whether a path leads to an element of a list, a key of a map, or a map. The API server sets no defaults there.
func hasNoDefault(t Type, path []step) bool {
	around := t
	for _, s := range path {
		around, t = t, innerType(t, s)
	}
	return len(path) > 0 && path[len(path)-1].inList || isForm(around, FormMap) || isForm(t, FormMap)
}
