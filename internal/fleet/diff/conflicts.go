package diff

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// Conflict is a field that another manager has written and that a server-side apply without force does not get.
type Conflict struct {
	// Field is the path for people, as a Difference has it.
	Field   string
	Manager Manager
}

// Conflicts returns the fields for which an API server rejects a server-side apply by a manager without force, as far as a local comparison and the
// managedFields of the object on the member show: others own them, and they have another value. With updates, the manager also conflicts with its own
// updates, as a manager does that never turns them into ownership by apply.
func Conflicts(known Schema, desired, live *unstructured.Unstructured, manager string, updates bool) []Conflict {
	c := newComparison(desired)
	kind := typeOf(known, desired)
	c.partialMaps(kind, withData(c.kind, Strip(desired)), withData(c.kind, Strip(live)), false)
	writers := writersOf(live)
	var out []Conflict
	for i, difference := range c.differences {
		if difference.isOrder() {
			continue // nobody owns the order
		}
		for _, w := range writers {
			found, own := claimIn(kind, w.fields, c.paths[i]), w.Name == manager && (w.Operation == "Apply" || !updates)
			if !own && (found == claimsField || found == claimsPart && difference.HasMember) {
				out = append(out, Conflict{Field: difference.Field, Manager: w.Manager})
			}
		}
	}
	return out
}

// claimIn is claimOn for a known type: whoever owns a map or structure that is merged, or a list with keys, does not own what is in it.
func claimIn(t Type, fields map[string]any, path []step) claim {
	for i, s := range path {
		fields = innerFields(fields, s)
		if t = inside(t, s); fields == nil || len(fields) == 0 && i < len(path)-1 && isMerged(t) {
			return claimsNothing
		}
		if len(fields) == 0 {
			return claimsField
		}
	}
	return claimOn(fields, nil)
}

// inside returns the type of what is one step within a value of a type; nil if it is not known.
func inside(t Type, s step) Type {
	if s.inList {
		return elementOf(t)
	}
	return fieldOf(t, s.field)
}

// isMerged reports whether a server-side apply merges the values of a type.
func isMerged(t Type) bool {
	switch {
	case isForm(t, FormMap), isForm(t, FormStructure):
		return !t.Atomic()
	case isForm(t, FormList):
		return len(t.Keys()) > 0
	}
	return false
}

// isOrder tells whether the elements of a list come in another order: of lists that differ otherwise, each element is a difference.
func (d Difference) isOrder() bool {
	_, hub := d.InHub.([]any)
	_, member := d.InMember.([]any)
	return hub && member
}
