package kube

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// ownedFields are the fields of an object that the entries of its managedFields own which are wanted. An entry that cannot be read owns
// nothing.
func ownedFields(live *unstructured.Unstructured, wanted func(metav1.ManagedFieldsEntry) bool) *fieldpath.Set {
	out := fieldpath.NewSet()
	for _, entry := range live.GetManagedFields() {
		if entry.FieldsV1 == nil || !wanted(entry) {
			continue
		}
		fields := fieldpath.NewSet()
		if fields.FromJSON(entry.FieldsV1.GetRawReader()) == nil {
			out = out.Union(fields)
		}
	}
	return out
}

// writtenBy tells the entries of a manager for the object itself, not for a subresource; updatedBy those among them that are no apply's.
func writtenBy(manager string) func(metav1.ManagedFieldsEntry) bool {
	return func(entry metav1.ManagedFieldsEntry) bool { return entry.Manager == manager && entry.Subresource == "" }
}

func updatedBy(manager string) func(metav1.ManagedFieldsEntry) bool {
	return func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Manager == manager && entry.Operation == metav1.ManagedFieldsOperationUpdate && entry.Subresource == ""
	}
}

// ownsByUpdate reports whether the manager owns fields of the object by update.
func ownsByUpdate(live *unstructured.Unstructured, manager string) bool {
	return slices.ContainsFunc(live.GetManagedFields(), updatedBy(manager))
}

// withOnly returns the part of a value that fields name, and whether there is any. Elements of lists keep the keys by which they are named.
func withOnly(whole any, fields *fieldpath.Set) (any, bool) {
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
			inner, there := at(whole, element)
			if !there {
				continue
			}
			if part, found := partAt(inner, fields, element); found {
				out = append(out, withKey(part, inner, element))
			}
		}
		return out, len(out) > 0
	default:
		return nil, false
	}
}

// withKey completes a part of an element by its key.
func withKey(part, whole any, element fieldpath.PathElement) any {
	fields, isMap := part.(map[string]any)
	if !isMap || element.Key == nil {
		return part
	}
	for _, key := range *element.Key {
		if content, found := at(whole, fieldpath.FieldNameElement(key.Name)); found {
			fields[key.Name] = content
		}
	}
	return fields
}

// partAt is what fields name of a value that stands at a place of theirs: something within, or all of it.
func partAt(value any, fields *fieldpath.Set, place fieldpath.PathElement) (any, bool) {
	itself := fields.Members.Has(place)
	if inner, found := fields.Children.Get(place); found {
		part, some := withOnly(value, inner)
		return part, some || itself
	}
	return runtime.DeepCopyJSONValue(value), itself
}

// withoutFields removes the fields from a value that are gone, but nothing in which there is a field that is kept, and no key of an element
// that stays.
func withoutFields(value any, gone, kept *fieldpath.Set) any {
	for _, element := range elementsOf(gone) {
		inner, found := at(value, element)
		if !found {
			continue
		}
		if gone.Members.Has(element) && !kept.Members.Has(element) && kept.WithPrefix(element).Empty() {
			value = drop(value, element)
			continue
		}
		if within, found := gone.Children.Get(element); found {
			put(value, element, withoutFields(inner, withoutKey(within, element), kept.WithPrefix(element)))
		}
	}
	return value
}

// withoutKey leaves the key of an element out of the fields in it.
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

// elementsOf are the places that fields begin with, in order.
func elementsOf(fields *fieldpath.Set) []fieldpath.PathElement {
	places := fields.Members.Copy()
	fields.Children.Iterate(places.Insert)
	return slices.Collect(places.All())
}

// at is what stands at a place of a map or a list, drop removes it, and put replaces it.
func at(value any, place fieldpath.PathElement) (any, bool) {
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

func drop(value any, place fieldpath.PathElement) any {
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

func put(value any, place fieldpath.PathElement, inner any) {
	switch value := value.(type) {
	case map[string]any:
		value[*place.FieldName] = inner
	case []any:
		value[indexOf(value, place)] = inner
	}
}

// indexOf is where an element of a list is, -1 if it is not there.
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
