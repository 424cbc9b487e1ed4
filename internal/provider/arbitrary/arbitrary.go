// Package arbitrary generates arbitrary values of a type, for tests of properties that hold for all values.
package arbitrary

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// Generator generates values. The values are the same in every run of a test.
type Generator struct {
	t      testing.TB
	random *rand.Rand
	// seen has the generated values of each enumeration in the types of the values.
	seen map[reflect.Type][]string
}

// New returns a generator for a test.
func New(t testing.TB) *Generator {
	return &Generator{t: t, random: rand.New(rand.NewPCG(1, 2)), seen: map[reflect.Type][]string{}}
}

// Value generates a value. A pointer is nil or not, and a slice or map is nil, empty or filled. The text behind a pointer is not empty. A text whose type has
// a Values method is one of these values; it can also be empty if it is not behind a pointer.
func Value[T any](g *Generator) T {
	var out T
	g.expect(reflect.TypeFor[T](), map[reflect.Type]bool{})
	g.fill(reflect.ValueOf(&out).Elem())
	return out
}

// Unseen lists the values that were not generated, for each enumeration that occurs in a type passed to [Value].
func (g *Generator) Unseen() []string {
	var out []string
	for t, seen := range g.seen {
		for _, value := range listValues(reflect.Zero(t)) {
			if !slices.Contains(seen, value) {
				out = append(out, fmt.Sprintf("%s %s", t, value))
			}
		}
	}
	slices.Sort(out)
	return out
}

// expect registers the enumerations in a type. fill alone would miss an enumeration that is only behind pointers and slices that happen to be nil.
func (g *Generator) expect(t reflect.Type, known map[reflect.Type]bool) {
	if known[t] {
		return
	}
	known[t] = true
	switch t.Kind() {
	case reflect.String:
		if _, isSeen := g.seen[t]; !isSeen && listValues(reflect.Zero(t)) != nil {
			g.seen[t] = nil
		}
	case reflect.Map:
		g.expect(t.Key(), known)
		g.expect(t.Elem(), known)
	case reflect.Pointer, reflect.Slice:
		g.expect(t.Elem(), known)
	case reflect.Struct:
		for i := range t.NumField() {
			g.expect(t.Field(i).Type, known)
		}
	default: // has no enumerations
	}
}

func (g *Generator) fill(v reflect.Value) {
	if v.Type() == reflect.TypeFor[json.RawMessage]() {
		v.SetBytes([][]byte{nil, []byte("null"), []byte(`{"a":[1]}`)}[g.random.IntN(3)])
		return
	}
	switch v.Kind() {
	case reflect.String:
		if g.random.IntN(4) > 0 {
			g.fillText(v)
		}
	case reflect.Bool:
		v.SetBool(g.random.IntN(2) == 0)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(g.random.Int64N(5) - 1)
	case reflect.Pointer:
		g.fillPointer(v)
	case reflect.Slice:
		if n := g.random.IntN(4) - 1; n >= 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				g.fill(v.Index(i))
			}
		}
	case reflect.Map:
		g.fillMap(v)
	case reflect.Struct:
		for i := range v.NumField() {
			g.fill(v.Field(i))
		}
	default:
		g.t.Fatalf("there are no arbitrary values of %s", v.Type())
	}
}

func (g *Generator) fillPointer(v reflect.Value) {
	if g.random.IntN(3) == 0 {
		return
	}
	v.Set(reflect.New(v.Type().Elem()))
	if v.Elem().Kind() == reflect.String {
		g.fillText(v.Elem())
		return
	}
	g.fill(v.Elem())
}

func (g *Generator) fillMap(v reflect.Value) {
	n := g.random.IntN(4) - 1
	if n < 0 {
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for range n {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		g.fillText(key)
		g.fill(value)
		v.SetMapIndex(key, value)
	}
}

func (g *Generator) fillText(v reflect.Value) {
	candidates := []string{"a", "b.c/d", "ä \"\n", "1"}
	allowed := listValues(v)
	if allowed != nil {
		candidates = allowed
	}
	value := candidates[g.random.IntN(len(candidates))]
	if allowed != nil {
		g.seen[v.Type()] = append(g.seen[v.Type()], value)
	}
	v.SetString(value)
}

// listValues returns the values of an enumeration, or nil for another type.
func listValues(v reflect.Value) []string {
	enumeration, ok := v.Interface().(interface{ Values() []string })
	if !ok {
		return nil
	}
	return enumeration.Values()
}
