package objectschema

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
)

// node is the type of a kind's objects, of a field, or of what is in a list or map.
type node struct {
	form    diff.Form
	dropped bool
	// structure has the fields, and inner is what a list or map has in it.
	structure *structure
	inner     *node
	// merge finds the rule, which is kept.
	merge func() mergeRule
	once  sync.Once
	rule  mergeRule
}

// structure is a Go structure. Its fields are read when one of them is looked for, since structures may contain themselves.
type structure struct {
	goType reflect.Type
	schema *Schema
	once   sync.Once
	fields map[string]*node
}

// Form is what the values are.
func (n *node) Form() diff.Form { return n.form }

// Dropped tells whether a zero or empty value is written like none, which is so for every field that is no pointer.
func (n *node) Dropped() bool { return n.dropped }

// Atomic tells whether a map or structure is replaced as a whole.
func (n *node) Atomic() bool { return n.merged().atomic }

// Keys are those by which the elements of a list are merged.
func (n *node) Keys() []diff.MergeKey { return n.merged().keys }

func (n *node) merged() mergeRule {
	n.once.Do(func() { n.rule = n.merge() })
	return n.rule
}

// Field returns the type of a field, or of a map's values. Of what may be anything, nothing is known.
func (n *node) Field(name string) diff.Type {
	if n.form == diff.FormMap {
		return n.inner
	}
	if n.form != diff.FormStructure {
		return nil
	}
	if field := n.structure.field(name); field != nil {
		return field
	}
	return nil
}

// Element returns the type of a list's elements.
func (n *node) Element() diff.Type {
	if n.form != diff.FormList {
		return nil
	}
	return n.inner
}

// newNode makes the type of values of a Go type. The lock must be held.
func (s *Schema) newNode(goType reflect.Type) *node {
	n := &node{form: formOf(goType)}
	switch n.form {
	case diff.FormStructure:
		n.structure = s.structures[goType]
		if n.structure == nil {
			n.structure = &structure{goType: goType, schema: s}
			s.structures[goType] = n.structure
		}
	case diff.FormList, diff.FormMap:
		n.inner = s.newNode(withoutPointer(goType.Elem()))
		n.inner.merge = func() mergeRule { return n.merged().inner(s.merging()) }
	case diff.FormAny, diff.FormText, diff.FormBytes, diff.FormBoolean, diff.FormNumber, diff.FormQuantity: // nothing is within
	}
	return n
}

func withoutPointer(goType reflect.Type) reflect.Type {
	if goType.Kind() == reflect.Pointer {
		return goType.Elem()
	}
	return goType
}

// forms are those of the Go types that are written in a way of their own. All others that are may be anything.
var forms = map[reflect.Type]diff.Form{
	reflect.TypeFor[resource.Quantity]():  diff.FormQuantity,
	reflect.TypeFor[intstr.IntOrString](): diff.FormNumber,
	reflect.TypeFor[metav1.Time]():        diff.FormText,
	reflect.TypeFor[metav1.MicroTime]():   diff.FormText,
	reflect.TypeFor[metav1.Duration]():    diff.FormText,
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

func formOf(goType reflect.Type) diff.Form {
	if form, special := forms[goType]; special {
		return form
	}
	if reflect.PointerTo(goType).Implements(unmarshaler) {
		return diff.FormAny
	}
	switch goType.Kind() {
	case reflect.Struct:
		return diff.FormStructure
	case reflect.Map:
		return diff.FormMap
	case reflect.Slice:
		if goType.Elem().Kind() == reflect.Uint8 {
			return diff.FormBytes
		}
		return diff.FormList
	case reflect.String:
		return diff.FormText
	case reflect.Bool:
		return diff.FormBoolean
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64:
		return diff.FormNumber
	default:
		return diff.FormAny
	}
}

func (s *structure) field(name string) *node {
	s.once.Do(func() {
		s.schema.mu.Lock()
		defer s.schema.mu.Unlock()
		s.fields = make(map[string]*node, s.goType.NumField())
		s.addFields(s.goType)
	})
	return s.fields[name]
}

// addFields adds the fields of a Go type, and those of what is embedded in it.
func (s *structure) addFields(goType reflect.Type) {
	for i := range goType.NumField() {
		field := goType.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-" || !field.IsExported():
		case name == "" && field.Anonymous:
			s.addFields(withoutPointer(field.Type))
		case name != "":
			n := s.schema.newNode(withoutPointer(field.Type))
			n.dropped = field.Type.Kind() != reflect.Pointer
			if n.form == diff.FormBytes {
				n.dropped = options == "omitempty" // else no bytes are null, and an empty text is not
			}
			n.merge = func() mergeRule { return s.schema.merging().fieldRule(s.model(), name) }
			s.fields[name] = n
		}
	}
}

// model is the structure's name in the merge schema; empty if it has none.
func (s *structure) model() string {
	named, ok := reflect.New(s.goType).Interface().(interface{ OpenAPIModelName() string })
	if !ok {
		return ""
	}
	return named.OpenAPIModelName()
}
