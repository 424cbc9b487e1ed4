package diff

import (
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Schema describes how API servers treat objects of the built-in kinds.
type Schema interface {
	// Kind returns the type of a kind's objects, or nil if the kind is unknown: a custom resource, or a newer kind.
	Kind(kind schema.GroupVersionKind) Type
}

// Type describes the values at one position in a kind's objects.
type Type interface {
	// Form is the form of the values.
	Form() Form
	// Field returns the type of a structure's field, or of a map's values; nil if it is unknown.
	Field(name string) Type
	// Element returns the type of a list's elements; nil if it is unknown.
	Element() Type
	// Atomic reports whether a server-side apply replaces a map or structure as a whole, so that fields that only the member has are lost. A
	// list is replaced as a whole unless it has keys.
	Atomic() bool
	// Keys returns the keys by which a server-side apply merges the elements of a list.
	Keys() []MergeKey
	// Dropped reports whether the API server drops a zero or empty value here, as if there were no value.
	Dropped() bool
}

// MergeKey is a field that identifies the elements of a list.
type MergeKey struct {
	// Field is empty for a set, whose elements are identified by their values.
	Field string
	// Absent is the value that an omitted field has. If Absent is empty, an element without the field cannot be identified.
	Absent string
}

// Form is the form of a value according to the Kubernetes types, which JSON does not show.
type Form int

const (
	// FormAny is a JSON value about whose contents nothing is known.
	FormAny Form = iota
	FormStructure
	FormMap
	FormList
	FormText
	// FormBytes is a text in base64.
	FormBytes
	FormBoolean
	FormNumber
	// FormQuantity is a number with a suffix, which has more than one notation.
	FormQuantity
)

func typeOf(known Schema, u *unstructured.Unstructured) Type {
	if known == nil {
		return nil
	}
	return known.Kind(u.GroupVersionKind())
}

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

// isDropped reports whether a value is equivalent to no value. Without a known type, it returns false: the API server keeps all values as written.
func isDropped(t Type, value any) bool {
	if t == nil {
		return false
	}
	switch value := value.(type) {
	case nil:
		return true
	case map[string]any:
		return t.Dropped() && hasOnlyDropped(t, value)
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

// hasOnlyDropped reports whether every value in a map or structure is equivalent to no value.
func hasOnlyDropped(t Type, fields map[string]any) bool {
	if !isForm(t, FormMap) && !isForm(t, FormStructure) {
		return false
	}
	for name, value := range fields {
		if !isDropped(t.Field(name), value) {
			return false
		}
	}
	return true
}

func isZero(value any) bool {
	if number, ok := number(value); ok {
		return number == 0
	}
	text, ok := canonicalQuantity(value, resource.Nano)
	return ok && text == "0"
}
