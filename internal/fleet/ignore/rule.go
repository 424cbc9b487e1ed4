// Package ignore selects fields of placed objects that other clients write, such as the replicas of an autoscaled Deployment. A new object is created
// with these fields. After that, applies do not change them.
package ignore

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Rule selects fields of some objects.
type Rule struct {
	// Kind, Namespace and Name select the objects. An empty string matches every value.
	Kind, Namespace, Name string
	// Fields are paths; see [ParseField].
	Fields []string
}

func (r Rule) selects(object manifest.Identifier) bool {
	return (r.Kind == "" || r.Kind == object.Kind) && (r.Namespace == "" || r.Namespace == object.Namespace) && (r.Name == "" || r.Name == object.Name)
}

// Rules are the rules of a placement.
type Rules []Rule

// Of returns the paths of the fields that the rules select in an object, sorted and without duplicates.
func (r Rules) Of(object manifest.Identifier) []string {
	var out []string
	for _, rule := range r {
		if rule.selects(object) {
			out = append(out, rule.Fields...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Validate lists the problems of the rules.
func (r Rules) Validate() []placement.Problem {
	var out []placement.Problem
	for i, rule := range r {
		at := placement.At("ignore_fields").Index(i).Attribute("fields")
		if len(rule.Fields) == 0 {
			out = append(out, placement.Problem{Path: at, Message: "name at least one field, such as \"spec.replicas\""})
		}
		for _, text := range rule.Fields {
			if _, err := ParseField(text); err != nil {
				out = append(out, placement.Problem{Path: at, Message: fmt.Sprintf("%q is not a field that can be ignored: %s", text, err)})
			}
		}
	}
	return out
}

// Hash combines the hash of an object with its ignored fields, so that an apply treats the object as changed if this list of fields is
// different. If fields is empty, Hash returns the hash unchanged.
func Hash(object string, fields []string) string {
	if len(fields) == 0 {
		return object
	}
	ignored := make([]any, len(fields))
	for i, text := range fields {
		ignored[i] = text
	}
	return manifest.Hash(map[string]any{"object": object, "ignored": ignored})
}

// Options control how [Align] treats fields.
type Options struct {
	// Add also copies from live the ignored fields that the object does not have. Comparisons set Add.
	Add bool
	// Omit reports whether an ignored field is removed instead of copied from live; nil for none.
	Omit func(Field) bool
}

// Align returns the object to write over live, with the values of the ignored fields as in live. It removes ignored fields that live
// does not have. Ignored fields in a list element that live does not have keep the values of the object. If live is nil or fields is empty, Align returns the
// object itself, otherwise a copy.
func Align(object, live *unstructured.Unstructured, fields []string, options Options) *unstructured.Unstructured {
	if live == nil || len(fields) == 0 {
		return object
	}
	out := object.DeepCopy()
	for _, text := range fields {
		field, err := ParseField(text)
		if err != nil {
			continue // validation of the configuration rejects it
		}
		if field.isInMissingElement(live.Object) {
			continue // the element is created
		}
		_, isSet := field.get(out.Object)
		if secret := field.stringDataField(out); secret != nil {
			_, isText := secret.get(out.Object)
			isSet = isSet || isText
			secret.remove(out.Object)
		}
		value, found := field.get(live.Object)
		switch {
		case !found, isSet && options.Omit != nil && options.Omit(field):
			field.remove(out.Object)
		case isSet, options.Add:
			field.set(out.Object, runtime.DeepCopyJSONValue(value))
		}
	}
	return out
}

func (f Field) isInMissingElement(object map[string]any) bool {
	for i, step := range f {
		if !step.key || i == len(f)-1 {
			continue
		}
		if _, found := f[:i+1].get(object); !found {
			return true
		}
	}
	return false
}

// stringDataField returns the field of stringData that the API server stores in f, or nil if f is not in the data of a Secret.
func (f Field) stringDataField(object *unstructured.Unstructured) Field {
	if object.GetKind() != "Secret" || len(f) != 2 || f[0].name != "data" {
		return nil
	}
	return Field{{name: "stringData"}, f[1]}
}
