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

// TestMergeRules compares merge keys and atomicity with the merge schema at every path of every kind.
func TestMergeRules(t *testing.T) {
	keyed, atomic := 0, 0
	w := walk(t, func(p pathInfo, atom mergeschema.Atom) {
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
	if w.paths < 3000 || keyed < 100 || atomic < 100 {
		t.Errorf("checked only %d paths, %d of them with keys and %d atomic", w.paths, keyed, atomic)
	}
	t.Logf("%d paths, %d with keys, %d atomic", w.paths, keyed, atomic)
}

// formsOf returns the forms that the merge schema allows.
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

// wrapperKind is a kind with one field, of the type under test.
type wrapperKind struct{ inner diff.Type }

func (w wrapperKind) Kind(schema.GroupVersionKind) diff.Type { return w }
func (w wrapperKind) Form() diff.Form                        { return diff.FormStructure }
func (w wrapperKind) Field(string) diff.Type                 { return w.inner }
func (w wrapperKind) Element() diff.Type                     { return nil }
func (w wrapperKind) Atomic() bool                           { return false }
func (w wrapperKind) Keys() []diff.MergeKey                  { return nil }
func (w wrapperKind) Dropped() bool                          { return false }

// isDifferent reports whether a desired structure differs from a live one.
func isDifferent(t diff.Type, desired, live any) bool {
	object := func(value any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.org/v1", "kind": "Within", "inner": value}}
	}
	return diff.Partial(wrapperKind{t}, object(desired), object(live)).Differs()
}

// stored returns a structure as an API server stores it: decoded from JSON, stored as protocol buffers and written as JSON.
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

// TestStoredValues decodes and encodes values at every field of every kind with the Go types. It checks that a value does not differ from its
// stored form, and that a zero value counts as absent if and only if it is stored like an absent one.
func TestStoredValues(t *testing.T) {
	const zeros = 7 // the first values
	values := []any{
		nil, "", int64(0), false, map[string]any{}, []any{}, "0",
		"1000m", "0.5Gi", "e\nA==", int64(1), "1", true, "2026-01-01T00:00:00Z", map[string]any{"k": "1000m"}, []any{"1000m"}, map[string]any{"k": "e\nA=="},
		map[string]any{"k": ""}, []any{""}, []any{int64(0)}, map[string]any{"k": map[string]any{}}, []any{map[string]any{}},
	}
	compared, dropped := 0, 0
	seen := map[reflect.Type]bool{}
	walk(t, func(p pathInfo, _ mergeschema.Atom) {
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
			if name == "kind" || name == "apiVersion" { // stored with the whole object
				continue
			}
			path := p.path + "." + name
			for i, value := range values {
				desired := map[string]any{name: value}
				is, err := stored(goType, desired)
				if err != nil || field == reflect.TypeFor[[]byte]() && reflect.ValueOf(value).Kind() == reflect.Slice {
					continue // not a value of this type
				}
				compared++
				if isDifferent(p.ours, desired, is) {
					t.Errorf("%s: %#v is stored as %v, which counts as a difference", path, value, is)
				}
				if i >= zeros {
					continue
				}
				same := reflect.DeepEqual(is, nothing)
				if same {
					dropped++
				}
				if got := !isDifferent(p.ours, desired, map[string]any{}); got != same {
					t.Errorf("%s: %#v counts as absent: %t; it is stored as %v, and an absent value as %v", path, value, got, is, nothing)
				}
			}
		}
	})
	if len(seen) < 500 || compared < 10000 || dropped < 3000 {
		t.Errorf("checked only %d structures and %d values, %d of them dropped", len(seen), compared, dropped)
	}
	t.Logf("%d structures, %d values, %d dropped", len(seen), compared, dropped)
}
