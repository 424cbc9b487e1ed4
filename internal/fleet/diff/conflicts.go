package diff

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// Conflict is a field that a server-side apply without force cannot change, because another manager owns it, or the same manager by operation Update.
type Conflict struct {
	// Field is the path for display, as in Difference.
	Field   string
	Manager Manager
}

// Conflicts returns the fields for which an API server rejects a server-side apply by a manager without force. It relies on a local comparison and on the
// managedFields of the object on the member: other managers own these fields with another value. If updates is true, the manager does not migrate fields that
// it owns by operation Update to Apply, so these fields conflict as well.
func Conflicts(known Schema, desired, live *unstructured.Unstructured, manager string, updates bool) []Conflict {
	compared := walkPartially(known, desired, live)
	kind := typeOf(known, desired)
	writers := parseWriters(live)
	var out []Conflict
	for i, difference := range compared.differences {
		if difference.isOrder() {
			continue // no manager owns the order
		}
		for _, w := range writers {
			found, own := findTypedClaim(kind, w.fields, compared.paths[i]), w.Name == manager && (w.Operation == "Apply" || !updates)
			if !own && (found == claimsField || found == claimsPart && difference.HasMember) {
				out = append(out, Conflict{Field: difference.Field, Manager: w.Manager})
			}
		}
	}
	return out
}

// findTypedClaim is like findClaim, except that it considers the type: a manager that owns a merged map or structure, or a list with keys, does not own its
// contents.
func findTypedClaim(t Type, fields map[string]any, path []step) claim {
	for i, s := range path {
		fields = innerFields(fields, s)
		if t = innerType(t, s); fields == nil || len(fields) == 0 && i < len(path)-1 && isMerged(t) {
			return claimsNothing
		}
		if len(fields) == 0 {
			return claimsField
		}
	}
	return findClaim(fields, nil)
}

func innerType(t Type, s step) Type {
	if s.inList {
		return elementOf(t)
	}
	return fieldOf(t, s.field)
}

// isMerged reports whether a server-side apply merges values of a type, and does not replace them as a whole.
func isMerged(t Type) bool {
	switch {
	case isForm(t, FormMap), isForm(t, FormStructure):
		return !t.Atomic()
	case isForm(t, FormList):
		return len(t.Keys()) > 0
	}
	return false
}

// isOrder reports whether the difference is a different order of elements. All other differences between two lists are recorded by element.
func (d Difference) isOrder() bool {
	_, hub := d.InHub.([]any)
	_, member := d.InMember.([]any)
	return hub && member
}
