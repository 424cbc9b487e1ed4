package objectschema_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	mergeschema "sigs.k8s.io/structured-merge-diff/v6/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/objectschema"
)

// pathInfo is a field of a kind in our schema, the merge schema and the Go types.
type pathInfo struct {
	path   string
	ours   diff.Type
	merged mergeschema.TypeRef
	goType reflect.Type
}

// walker visits every field of every kind, and recursive types once.
type walker struct {
	t     *testing.T
	types *mergeschema.Schema
	seen  map[any]bool
	paths int
	visit func(p pathInfo, atom mergeschema.Atom)
}

func walk(t *testing.T, visit func(p pathInfo, atom mergeschema.Atom)) *walker {
	t.Helper()
	known, converter := objectschema.New(), applyconfigurations.NewTypeConverter(scheme.Scheme)
	w := &walker{t: t, seen: map[any]bool{}, visit: visit}
	for gvk, goType := range scheme.Scheme.AllKnownTypes() {
		if !isStorable(gvk) {
			continue
		}
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(gvk)
		typed, err := converter.ObjectToTyped(object)
		if err != nil {
			continue // reviews and similar kinds, which API servers do not store
		}
		w.types = typed.Schema()
		w.walk(pathInfo{path: gvk.GroupVersion().String() + " " + gvk.Kind, ours: known.Kind(gvk), merged: typed.TypeRef(), goType: goType})
	}
	return w
}

func isStorable(gvk schema.GroupVersionKind) bool {
	return gvk.Version != "__internal" && !strings.HasSuffix(gvk.Kind, "List") && !strings.HasSuffix(gvk.Kind, "Options") && gvk.Kind != "WatchEvent"
}

func (w *walker) walk(p pathInfo) {
	if p.ours == nil {
		w.t.Errorf("%s is not known", p.path)
		return
	}
	atom, _ := w.types.Resolve(p.merged)
	name := ""
	if p.merged.NamedType != nil {
		name = *p.merged.NamedType
	}
	key := struct {
		ours   diff.Type
		name   string
		goType reflect.Type
	}{p.ours, name, p.goType}
	if w.seen[key] {
		return
	}
	w.seen[key] = true
	w.paths++
	w.visit(p, atom)
	goType := p.goType
	if goType.Kind() == reflect.Pointer {
		goType = goType.Elem()
	}
	switch {
	case atom.List != nil && atom.Map != nil: // anything
	case atom.List != nil:
		w.walk(pathInfo{p.path + "[]", p.ours.Element(), atom.List.ElementType, goType.Elem()})
	case atom.Map != nil && goType.Kind() == reflect.Map:
		w.walk(pathInfo{p.path + "{}", p.ours.Field("any"), atom.Map.ElementType, goType.Elem()})
	case atom.Map != nil:
		fields := goFields(goType)
		for _, field := range atom.Map.Fields {
			w.walk(pathInfo{p.path + "." + field.Name, p.ours.Field(field.Name), field.Type, fields[field.Name]})
			delete(fields, field.Name)
		}
		for name := range fields {
			w.t.Errorf("%s.%s is not in the merge schema", p.path, name)
		}
	}
}

// goFields returns the fields of a structure by their JSON names.
func goFields(goType reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	if goType.Kind() != reflect.Struct || isLeaf(goType) {
		return fields
	}
	for i := range goType.NumField() {
		field := goType.Field(i)
		switch name, _, _ := strings.Cut(field.Tag.Get("json"), ","); {
		case name == "-":
		case name != "":
			fields[name] = field.Type
		case field.Anonymous:
			maps.Copy(fields, goFields(field.Type))
		}
	}
	return fields
}

// isLeaf reports whether a structure is not encoded field by field.
func isLeaf(goType reflect.Type) bool {
	return slices.Contains([]string{"Quantity", "IntOrString", "Time", "MicroTime", "Duration", "RawExtension", "FieldsV1"}, goType.Name())
}
