package objectschema_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
)

var update = flag.Bool("update", false, "write table.txt")

// TestTable compares the table with client-go's types.
func TestTable(t *testing.T) {
	w := writer{merging: readMergeSchema(t), structures: map[string]string{}}
	want := w.table()
	if *update {
		if err := os.WriteFile("table.txt", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("table.txt")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("table.txt differs from client-go's types; run with -update (-want +got):\n%s", gocmp.Diff(want, string(got)))
	}
}

// writer generates the table.
type writer struct {
	merging mergeSchema
	// structures maps the names of structures to their paragraphs.
	structures map[string]string
}

func (w *writer) table() string {
	known := maps.Clone(scheme.Scheme.AllKnownTypes())
	maps.DeleteFunc(known, func(gvk schema.GroupVersionKind, _ reflect.Type) bool { return gvk.Version == "__internal" })
	paragraphs := []string{w.kinds(known), w.kinds(definitions)}
	for _, name := range slices.Sorted(maps.Keys(w.structures)) {
		paragraphs = append(paragraphs, strings.TrimSuffix(name+"\n"+w.structures[name], "\n"))
	}
	return strings.Join(paragraphs, "\n\n") + "\n"
}

func (w *writer) kinds(types map[schema.GroupVersionKind]reflect.Type) string {
	var lines []string
	for _, gvk := range slices.SortedFunc(maps.Keys(types), func(a, b schema.GroupVersionKind) int { return cmp.Compare(a.String(), b.String()) }) {
		goType := types[gvk]
		lines = append(lines, gvk.GroupVersion().String()+" "+gvk.Kind+" "+w.expression(goType, gvk.Kind, w.merging.rule(modelName(goType))))
	}
	return strings.Join(lines, "\n")
}

// expression returns the type of a Go type's values. name is the name of a structure whose Go type has no name.
func (w *writer) expression(goType reflect.Type, name string, rule mergeRule) string {
	goType = withoutPointer(goType)
	word := formOf(goType)
	if word == "structure" {
		word = w.structure(goType, name)
	}
	if rule.atomic {
		word += "!"
	}
	if rule.keys != nil {
		var keys []string
		for _, key := range rule.keys {
			keys = append(keys, strings.TrimSuffix(key.Field+"="+key.Absent, "="))
		}
		word += "[" + strings.Join(keys, ",") + "]"
	}
	if formOf(goType) == "list" || formOf(goType) == "map" {
		word += " " + w.expression(goType.Elem(), name, rule.inner(w.merging))
	}
	return word
}

// structure adds the paragraph of a structure and returns its name.
func (w *writer) structure(goType reflect.Type, name string) string {
	switch model := modelName(goType); {
	case model != "":
		name = model
	case goType.Name() != "":
		name = strings.TrimPrefix(goType.String(), "objectschema_test.")
	}
	if _, written := w.structures[name]; !written {
		w.structures[name] = "" // it may contain itself
		w.structures[name] = strings.Join(w.fields(goType, name, modelName(goType)), "\n")
	}
	return name
}

// fields returns the fields of a Go type, including embedded ones, which the merge schema has in the outer model.
func (w *writer) fields(goType reflect.Type, name, model string) []string {
	var lines []string
	for i := range goType.NumField() {
		field := goType.Field(i)
		tag, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case tag == "-" || !field.IsExported():
		case tag == "" && field.Anonymous:
			lines = append(lines, w.fields(withoutPointer(field.Type), name, model)...)
		case tag != "":
			kept := ""
			// Without omitempty, absent bytes are written as null, and empty bytes are not.
			if field.Type.Kind() == reflect.Pointer || formOf(field.Type) == "bytes" && options != "omitempty" {
				kept = "*"
			}
			line := tag + " " + kept + w.expression(field.Type, name+"."+tag, w.merging.fieldRule(model, tag))
			if patch := field.Tag.Get("patchStrategy"); patch != "" || field.Tag.Get("patchMergeKey") != "" {
				line += strings.TrimSuffix(fmt.Sprintf(" @%s:%s", patch, field.Tag.Get("patchMergeKey")), ":")
			}
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return lines
}

func withoutPointer(goType reflect.Type) reflect.Type {
	if goType.Kind() == reflect.Pointer {
		return goType.Elem()
	}
	return goType
}

// specialForms are Go types with their own encoding. Every other type with its own encoding has the form "any".
var specialForms = map[reflect.Type]string{
	reflect.TypeFor[resource.Quantity]():  "quantity",
	reflect.TypeFor[intstr.IntOrString](): "number",
	reflect.TypeFor[metav1.Time]():        "text",
	reflect.TypeFor[metav1.MicroTime]():   "text",
	reflect.TypeFor[metav1.Duration]():    "text",
}

func formOf(goType reflect.Type) string {
	goType = withoutPointer(goType)
	if form, special := specialForms[goType]; special {
		return form
	}
	if reflect.PointerTo(goType).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return "any"
	}
	switch goType.Kind() {
	case reflect.Struct:
		return "structure"
	case reflect.Map:
		return "map"
	case reflect.Slice:
		if goType.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "list"
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64:
		return "number"
	default:
		return "any"
	}
}

// modelName returns the structure's name in the merge schema, or "".
func modelName(goType reflect.Type) string {
	named, ok := reflect.New(withoutPointer(goType)).Interface().(interface{ OpenAPIModelName() string })
	if !ok {
		return ""
	}
	return named.OpenAPIModelName()
}
