package diff

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// Conflict is a field that another manager has written and that a server-side apply without force does not get.
type Conflict struct {
	// Field is the path for people, as a Difference has it.
	Field   string
	Manager Manager
}

// Conflicts are the fields for which an API server would refuse a server-side apply by a manager without force, as far as a local comparison
// and the managedFields of the object on the member tell: others own them, and they have another value.
func Conflicts(known Schema, desired, live *unstructured.Unstructured, manager string) []Conflict {
	c := newComparison(desired)
	c.partialMaps(typeOf(known, desired), withData(c.kind, Strip(desired)), withData(c.kind, Strip(live)), false)
	writers := writersOf(live)
	var out []Conflict
	for i, difference := range c.differences {
		if difference.isOrder() {
			continue // nobody owns the order
		}
		for _, w := range writers {
			found := claimOn(w.fields, c.paths[i])
			if w.Name != manager && (found == claimsField || found == claimsPart && difference.HasMember) {
				out = append(out, Conflict{Field: difference.Field, Manager: w.Manager})
			}
		}
	}
	return out
}

// isOrder tells whether the elements of a list come in another order: of lists that differ otherwise, each element is a difference.
func (d Difference) isOrder() bool {
	_, hub := d.InHub.([]any)
	_, member := d.InMember.([]any)
	return hub && member
}
