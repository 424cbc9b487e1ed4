package diff

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Schema knows what API servers make of the objects of the kinds that are built into them.
type Schema interface {
	// Kind returns the type of a kind's objects; nil for a kind that is not known: that of a custom resource, or one that is newer.
	Kind(kind schema.GroupVersionKind) Type
}

// Type is what is known of the values at one place of a kind's objects.
type Type interface {
	// Form is what the values are.
	Form() Form
	// Field returns the type of a structure's field, or of a map's values; nil if it is not known.
	Field(name string) Type
	// Element returns the type of a list's elements; nil if it is not known.
	Element() Type
	// Atomic tells whether a server-side apply replaces a map or structure as a whole, so that what only the member has there is lost. A
	// list is replaced as a whole unless it has keys.
	Atomic() bool
	// Keys are those by which a server-side apply merges the elements of a list.
	Keys() []MergeKey
	// Dropped tells whether an object with a zero or empty value here is written as one without a value is.
	Dropped() bool
}

// MergeKey is a field that tells the elements of a list apart.
type MergeKey struct {
	// Field is empty for a set, the elements of which are told apart by their values.
	Field string
	// Absent is what the field means when it is left out; an element without the field is not told apart if it is empty.
	Absent string
}

// Form is what a value is, as the types of Kubernetes tell it and JSON does not.
type Form int

// The forms.
const (
	// FormAny is anything that JSON can express. Of what is in it nothing is known.
	FormAny Form = iota
	FormStructure
	FormMap
	FormList
	FormText
	// FormBytes are written as a text in base64.
	FormBytes
	FormBoolean
	FormNumber
	// FormQuantity is a number with a suffix, which can be written in more than one way.
	FormQuantity
)

// typeOf returns the type of an object; nil if it is not known.
func typeOf(known Schema, u *unstructured.Unstructured) Type {
	if known == nil {
		return nil
	}
	return known.Kind(u.GroupVersionKind())
}

// fieldOf and elementOf return the type of what is within a value of a type; nil if it is not known.
func fieldOf(t Type, name string) Type {
	if t == nil {
		return nil
	}
	return t.Field(name)
}

func elementOf(t Type) Type {
	if t == nil {
		return nil
	}
	return t.Element()
}

func isForm(t Type, form Form) bool { return t != nil && t.Form() == form }

// isNothing tells the values that an object without the field has as well. Where no type is known, all values are kept as they are written.
func isNothing(t Type, value any) bool {
	if t == nil {
		return false
	}
	switch value := value.(type) {
	case nil:
		return true
	case map[string]any:
		return t.Dropped() && nothingWithin(t, value)
	case []any:
		return len(value) == 0 && isForm(t, FormList)
	case string:
		return t.Dropped() && (value == "" && (isForm(t, FormText) || isForm(t, FormBytes)) || isForm(t, FormQuantity) && isZero(value))
	case bool:
		return t.Dropped() && !value && isForm(t, FormBoolean)
	default:
		return t.Dropped() && (isForm(t, FormNumber) || isForm(t, FormQuantity)) && isZero(value)
	}
}

// nothingWithin tells it of what is in a map or structure.
func nothingWithin(t Type, fields map[string]any) bool {
	if !isForm(t, FormMap) && !isForm(t, FormStructure) {
		return false
	}
	for name, value := range fields {
		if !isNothing(t.Field(name), value) {
			return false
		}
	}
	return true
}

// isZero tells a number that is zero, or a quantity.
func isZero(value any) bool {
	if number, ok := number(value); ok {
		return number == 0
	}
	text, ok := canonicalQuantity(value)
	return ok && text == "0"
}
