// Package ignore selects fields of placed objects that others write, such as the replicas of an autoscaled Deployment. An object is created with them; after
// that, its fields remain as they are on the cluster.
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
	// Kind, Namespace and Name select the objects; each is empty for any.
	Kind, Namespace, Name string
	// Fields are paths; see [ParseField].
	Fields []string
}

func (r Rule) selects(object manifest.Identifier) bool {
	return (r.Kind == "" || r.Kind == object.Kind) && (r.Namespace == "" || r.Namespace == object.Namespace) && (r.Name == "" || r.Name == object.Name)
}

// Rules are those of a placement.
type Rules []Rule

// Of returns the paths of the fields that the rules select of an object, in order and each once.
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

// Validate lists what is wrong with the rules.
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

// Hash returns the hash of an object together with the fields that are ignored of it: another choice of fields is another object to an apply.
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

// Options say how [Align] treats fields.
type Options struct {
	// Add adds a field that the object does not have, for a comparison.
	Add bool
	// Omit reports whether a field is left out; nil for none.
	Omit func(Field) bool
}

// Align returns an object to be written in the place of live, with the ignored fields as live has them. Without live, it returns the object itself.
func Align(object, live *unstructured.Unstructured, fields []string, options Options) *unstructured.Unstructured {
	if live == nil || len(fields) == 0 {
		return object
	}
	out := object.DeepCopy()
	for _, text := range fields {
		field, err := ParseField(text)
		if err != nil {
			continue // which is refused when it is configured
		}
		if field.isInMissingElement(live.Object) {
			continue // the element is created
		}
		_, wanted := field.get(out.Object)
		if secret := field.asText(out); secret != nil {
			_, isText := secret.get(out.Object)
			wanted = wanted || isText
			secret.remove(out.Object)
		}
		value, found := field.get(live.Object)
		switch {
		case !found, wanted && options.Omit != nil && options.Omit(field):
			field.remove(out.Object)
		case wanted, options.Add:
			field.set(out.Object, runtime.DeepCopyJSONValue(value))
		}
	}
	return out
}

// isInMissingElement reports whether the field is in an element of a list that an object does not have.
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

// asText returns the field of a Secret's stringData that the API server stores in this one; nil for another field.
func (f Field) asText(object *unstructured.Unstructured) Field {
	if object.GetKind() != "Secret" || len(f) != 2 || f[0].name != "data" {
		return nil
	}
	return Field{{name: "stringData"}, f[1]}
}
