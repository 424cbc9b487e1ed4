// Package arbitrary makes values of any type for tests of what must hold for all of them.
package arbitrary

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// Generator makes values: the same ones in every run of a test.
type Generator struct {
	t      testing.TB
	random *rand.Rand
	// seen has, for every enumeration that was met, the values that were made.
	seen map[reflect.Type][]string
}

// New makes a generator for a test.
func New(t testing.TB) *Generator {
	return &Generator{t: t, random: rand.New(rand.NewPCG(1, 2)), seen: map[reflect.Type][]string{}}
}

// Value makes a value. What a pointer, a slice or a map holds is left out, empty or there; a text that is there by a pointer is not empty.
// Types with a Values method have one of these values, or none where they are not there by a pointer.
func Value[T any](g *Generator) T {
	var out T
	g.fill(reflect.ValueOf(&out).Elem())
	return out
}

// Unseen lists the values of enumerations that were never made.
func (g *Generator) Unseen() []string {
	var out []string
	for t, seen := range g.seen {
		for _, value := range values(reflect.Zero(t)) {
			if !slices.Contains(seen, value) {
				out = append(out, fmt.Sprintf("%s %s", t, value))
			}
		}
	}
	slices.Sort(out)
	return out
}

func (g *Generator) fill(v reflect.Value) {
	if v.Type() == reflect.TypeFor[json.RawMessage]() {
		v.SetBytes([][]byte{nil, []byte("null"), []byte(`{"a":[1]}`)}[g.random.IntN(3)])
		return
	}
	switch v.Kind() {
	case reflect.String:
		if g.random.IntN(4) > 0 {
			g.text(v)
		}
	case reflect.Bool:
		v.SetBool(g.random.IntN(2) == 0)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(g.random.Int64N(5) - 1)
	case reflect.Pointer:
		g.pointer(v)
	case reflect.Slice:
		if n := g.random.IntN(4) - 1; n >= 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				g.fill(v.Index(i))
			}
		}
	case reflect.Map:
		g.entries(v)
	case reflect.Struct:
		for i := range v.NumField() {
			g.fill(v.Field(i))
		}
	default:
		g.t.Fatalf("there are no arbitrary values of %s", v.Type())
	}
}

func (g *Generator) pointer(v reflect.Value) {
	if g.random.IntN(3) == 0 {
		return
	}
	v.Set(reflect.New(v.Type().Elem()))
	if v.Elem().Kind() == reflect.String {
		g.text(v.Elem())
		return
	}
	g.fill(v.Elem())
}

func (g *Generator) entries(v reflect.Value) {
	n := g.random.IntN(4) - 1
	if n < 0 {
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for range n {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		g.text(key)
		g.fill(value)
		v.SetMapIndex(key, value)
	}
}

// text sets a text that is not empty.
func (g *Generator) text(v reflect.Value) {
	choice := []string{"a", "b.c/d", "ä \"\n", "1"}
	legal := values(v)
	if legal != nil {
		choice = legal
	}
	value := choice[g.random.IntN(len(choice))]
	if legal != nil {
		g.seen[v.Type()] = append(g.seen[v.Type()], value)
	}
	v.SetString(value)
}

// values are those that an enumeration lists; nil of what is none.
func values(v reflect.Value) []string {
	enumeration, is := v.Interface().(interface{ Values() []string })
	if !is {
		return nil
	}
	return enumeration.Values()
}
