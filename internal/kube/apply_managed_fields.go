package kube

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// ownedFields returns the fields in the managedFields entries for which match returns true. An entry that cannot be decoded owns no fields.
func ownedFields(live *unstructured.Unstructured, match func(metav1.ManagedFieldsEntry) bool) *fieldpath.Set {
	out := fieldpath.NewSet()
	for _, entry := range live.GetManagedFields() {
		if entry.FieldsV1 == nil || !match(entry) {
			continue
		}
		fields := fieldpath.NewSet()
		if fields.FromJSON(entry.FieldsV1.GetRawReader()) == nil {
			out = out.Union(fields)
		}
	}
	return out
}

// writtenBy returns a function that matches the entries of a manager for the object itself, and not for a subresource. The function that updatedBy returns
// also requires the operation Update.
func writtenBy(manager string) func(metav1.ManagedFieldsEntry) bool {
	return func(entry metav1.ManagedFieldsEntry) bool { return entry.Manager == manager && entry.Subresource == "" }
}

func updatedBy(manager string) func(metav1.ManagedFieldsEntry) bool {
	return func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Manager == manager && entry.Operation == metav1.ManagedFieldsOperationUpdate && entry.Subresource == ""
	}
}

// IsManager reports whether the managedFields of live have an entry of a manager for the object itself. If so, a server-side apply by this manager can
// remove fields.
func IsManager(live *unstructured.Unstructured, manager string) bool {
	return slices.ContainsFunc(live.GetManagedFields(), writtenBy(manager))
}

func ownsByUpdate(live *unstructured.Unstructured, manager string) bool {
	return slices.ContainsFunc(live.GetManagedFields(), updatedBy(manager))
}

// selectFields returns the part of whole that fields select, and whether the part has any fields. Elements of lists keep their key fields.
func selectFields(whole any, fields *fieldpath.Set) (any, bool) {
	switch whole := whole.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, inner := range whole {
			if part, found := partAt(inner, fields, fieldpath.FieldNameElement(name)); found {
				out[name] = part
			}
		}
		return out, len(out) > 0
	case []any:
		var out []any
		for _, element := range elementsOf(fields) {
			inner, found := elementAt(whole, element)
			if !found {
				continue
			}
			if part, found := partAt(inner, fields, element); found {
				out = append(out, addKey(part, inner, element))
			}
		}
		return out, len(out) > 0
	default:
		return nil, false
	}
}

func addKey(part, whole any, element fieldpath.PathElement) any {
	fields, isMap := part.(map[string]any)
	if !isMap || element.Key == nil {
		return part
	}
	for _, key := range *element.Key {
		if content, found := elementAt(whole, fieldpath.FieldNameElement(key.Name)); found {
			fields[key.Name] = content
		}
	}
	return fields
}

// partAt returns the part of value that fields select, and whether they select any. place is the path element of value in fields. If fields has entries
// below place, the part has only the selected fields within value. Otherwise the part is a copy of value.
func partAt(value any, fields *fieldpath.Set, place fieldpath.PathElement) (any, bool) {
	isSelected := fields.Members.Has(place)
	if inner, found := fields.Children.Get(place); found {
		part, hasFields := selectFields(value, inner)
		return part, hasFields || isSelected
	}
	return runtime.DeepCopyJSONValue(value), isSelected
}

// removeFields removes the fields in removed from value, in place, and returns the result. It does not remove a field that is in retained or contains a
// retained field. It does not remove the key fields of an element that remains.
func removeFields(value any, removed, retained *fieldpath.Set) any {
	for _, element := range elementsOf(removed) {
		inner, found := elementAt(value, element)
		if !found {
			continue
		}
		if removed.Members.Has(element) && !retained.Members.Has(element) && retained.WithPrefix(element).Empty() {
			value = removeAt(value, element)
			continue
		}
		if within, found := removed.Children.Get(element); found {
			setAt(value, element, removeFields(inner, withoutKey(within, element), retained.WithPrefix(element)))
		}
	}
	return value
}

func withoutKey(fields *fieldpath.Set, element fieldpath.PathElement) *fieldpath.Set {
	if element.Key == nil {
		return fields
	}
	key := fieldpath.NewSet()
	for _, field := range *element.Key {
		key.Insert(fieldpath.Path{fieldpath.FieldNameElement(field.Name)})
	}
	return fields.Difference(key)
}

func elementsOf(fields *fieldpath.Set) []fieldpath.PathElement {
	places := fields.Members.Copy()
	fields.Children.Iterate(places.Insert)
	return slices.Collect(places.All())
}

func elementAt(value any, place fieldpath.PathElement) (any, bool) {
	switch value := value.(type) {
	case map[string]any:
		if place.FieldName == nil {
			return nil, false
		}
		inner, found := value[*place.FieldName]
		return inner, found
	case []any:
		if i := indexOf(value, place); i >= 0 {
			return value[i], true
		}
	}
	return nil, false
}

func removeAt(value any, place fieldpath.PathElement) any {
	switch value := value.(type) {
	case map[string]any:
		delete(value, *place.FieldName)
		return value
	case []any:
		i := indexOf(value, place)
		return slices.Delete(value, i, i+1)
	}
	return value
}

func setAt(value any, place fieldpath.PathElement, inner any) {
	switch value := value.(type) {
	case map[string]any:
		value[*place.FieldName] = inner
	case []any:
		value[indexOf(value, place)] = inner
	}
}

func indexOf(list []any, place fieldpath.PathElement) int {
	switch {
	case place.Index != nil && *place.Index < len(list):
		return *place.Index
	case place.Value != nil:
		return slices.IndexFunc(list, func(element any) bool { return value.Equals(value.NewValueInterface(element), *place.Value) })
	case place.Key != nil:
		return slices.IndexFunc(list, func(element any) bool {
			fields, isMap := element.(map[string]any)
			for _, key := range *place.Key {
				if !isMap || !value.Equals(value.NewValueInterface(fields[key.Name]), key.Value) {
					return false
				}
			}
			return isMap
		})
	default:
		return -1
	}
}
