package objectschema_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	mergeschema "sigs.k8s.io/structured-merge-diff/v6/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
)

// TestMergeRules compares merge keys, and what is atomic, with the merge schema at every place of every kind.
func TestMergeRules(t *testing.T) {
	keyed, atomic := 0, 0
	w := walk(t, func(p place, atom mergeschema.Atom) {
		if got, want := p.ours.Atomic(), atom.Map != nil && atom.Map.ElementRelationship == mergeschema.Atomic; got != want {
			t.Errorf("%s is atomic: %t, want %t", p.path, got, want)
		} else if want {
			atomic++
		}
		var want []string
		if atom.List != nil && atom.List.ElementRelationship == mergeschema.Associative {
			want = append([]string{}, atom.List.Keys...)
			if len(want) == 0 {
				want = []string{""}
			}
			keyed++
		}
		var got []string
		for _, key := range p.ours.Keys() {
			got = append(got, key.Field)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is merged by %q, want %q", p.path, got, want)
		}
		if got := p.ours.Form(); !slices.Contains(formsOf(atom, p.goType), got) {
			t.Errorf("%s has form %d", p.path, got)
		}
	})
	if w.places < 3000 || keyed < 100 || atomic < 100 {
		t.Errorf("looked at %d places only, %d of them with keys and %d atomic", w.places, keyed, atomic)
	}
	t.Logf("%d places, %d with keys, %d atomic", w.places, keyed, atomic)
}

// formsOf are the forms that the merge schema leaves open.
func formsOf(atom mergeschema.Atom, goType reflect.Type) []diff.Form {
	switch {
	case atom.Map != nil && atom.List != nil:
		return []diff.Form{diff.FormAny}
	case atom.List != nil:
		return []diff.Form{diff.FormList}
	case atom.Map != nil && len(atom.Map.Fields) > 0:
		return []diff.Form{diff.FormStructure}
	case atom.Map != nil && len(goFields(goType)) == 0 && goType.Kind() == reflect.Map:
		return []diff.Form{diff.FormMap}
	case atom.Map != nil:
		return []diff.Form{diff.FormStructure, diff.FormAny}
	case atom.Scalar != nil && *atom.Scalar == mergeschema.Boolean:
		return []diff.Form{diff.FormBoolean}
	case atom.Scalar != nil && *atom.Scalar == mergeschema.Numeric:
		return []diff.Form{diff.FormNumber}
	default:
		return []diff.Form{diff.FormText, diff.FormBytes, diff.FormNumber, diff.FormQuantity}
	}
}

// within is a kind that has one field, of a type that is looked at.
type within struct{ inner diff.Type }

func (w within) Kind(schema.GroupVersionKind) diff.Type { return w }
func (w within) Form() diff.Form                        { return diff.FormStructure }
func (w within) Field(string) diff.Type                 { return w.inner }
func (w within) Element() diff.Type                     { return nil }
func (w within) Atomic() bool                           { return false }
func (w within) Keys() []diff.MergeKey                  { return nil }
func (w within) Dropped() bool                          { return false }

// differs tells whether a structure differs from one that a member has.
func differs(t diff.Type, desired, live any) bool {
	object := func(value any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.org/v1", "kind": "Within", "inner": value}}
	}
	return diff.Partial(within{t}, object(desired), object(live)).Differs()
}

// stored is what an API server makes of a structure: it reads JSON, stores protocol buffers and writes JSON.
func stored(goType reflect.Type, fields map[string]any) (any, error) {
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	read := reflect.New(goType)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(read.Interface()); err != nil {
		return nil, err
	}
	if from, ok := read.Interface().(interface{ Marshal() ([]byte, error) }); ok {
		wire, err := from.Marshal()
		if err != nil {
			return nil, err
		}
		read = reflect.New(goType)
		if err := read.Interface().(interface{ Unmarshal([]byte) error }).Unmarshal(wire); err != nil {
			return nil, err
		}
	}
	if text, err = json.Marshal(read.Interface()); err != nil {
		return nil, err
	}
	var out any
	return out, json.Unmarshal(text, &out)
}

// TestStoredValues sends values through the Go types at every field of every kind: what comes back of a value is no difference to it, and a
// zero asks for nothing if and only if no other thing comes back of it than of nothing.
func TestStoredValues(t *testing.T) {
	zeros := []any{nil, "", int64(0), false, map[string]any{}, []any{}, "0"}
	values := []any{
		"1000m", "0.5Gi", "e\nA==", int64(1), "1", true, "2026-01-01T00:00:00Z", map[string]any{"k": "1000m"}, []any{"1000m"}, map[string]any{"k": "e\nA=="},
		map[string]any{"k": ""}, []any{""}, []any{int64(0)}, map[string]any{"k": map[string]any{}}, []any{map[string]any{}},
	}
	compared, dropped := 0, 0
	seen := map[reflect.Type]bool{}
	walk(t, func(p place, _ mergeschema.Atom) {
		goType := p.goType
		if goType.Kind() == reflect.Pointer {
			goType = goType.Elem()
		}
		if p.ours.Form() != diff.FormStructure || seen[goType] {
			return
		}
		seen[goType] = true
		nothing, err := stored(goType, nil)
		if err != nil {
			t.Fatalf("%s: %v", p.path, err)
		}
		for name, field := range goFields(goType) {
			if name == "kind" || name == "apiVersion" { // which are stored with the whole object
				continue
			}
			path := p.path + "." + name
			for _, value := range append(slices.Clone(zeros), values...) {
				desired := map[string]any{name: value}
				is, err := stored(goType, desired)
				if err != nil || field == reflect.TypeFor[[]byte]() && reflect.ValueOf(value).Kind() == reflect.Slice {
					continue // no value of this type
				}
				compared++
				if differs(p.ours, desired, is) {
					t.Errorf("%s: %#v is stored as %v, which is taken for a difference", path, value, is)
				}
			}
			for _, zero := range zeros {
				desired := map[string]any{name: zero}
				is, err := stored(goType, desired)
				if err != nil || field == reflect.TypeFor[[]byte]() && reflect.ValueOf(zero).Kind() == reflect.Slice {
					continue
				}
				same := reflect.DeepEqual(is, nothing)
				if same {
					dropped++
				}
				if got := !differs(p.ours, desired, map[string]any{}); got != same {
					t.Errorf("%s: %#v asks for nothing: %t; it is stored as %v, and nothing as %v", path, zero, got, is, nothing)
				}
			}
		}
	})
	if len(seen) < 500 || compared < 10000 || dropped < 3000 {
		t.Errorf("looked at %d structures only, compared %d values, of which %d were dropped", len(seen), compared, dropped)
	}
	t.Logf("%d structures, %d values, %d dropped", len(seen), compared, dropped)
}
