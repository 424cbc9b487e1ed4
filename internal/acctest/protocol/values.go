package protocol

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// Unknown is what [Lookup] returns for a value known after apply.
const Unknown = "(known after apply)"

// Lookup returns a nested value: strings as string, numbers as float64, lists as []any, and maps and objects as map[string]any. Steps are names of attributes
// and keys as string, and indexes as int. A missing value is nil, like null.
func Lookup(in cty.Value, steps ...any) any {
	for _, step := range steps {
		if in == cty.NilVal || in.IsNull() {
			return nil
		}
		if !in.IsKnown() {
			return Unknown
		}
		switch step := step.(type) {
		case string:
			in = in.AsValueMap()[step]
		case int:
			elements := in.AsValueSlice()
			if step >= len(elements) {
				return nil
			}
			in = elements[step]
		default:
			panic(fmt.Sprintf("a step is a string or an int, not %T", step))
		}
	}
	return plain(in)
}

// plain converts a value to a Go value.
func plain(in cty.Value) any {
	switch {
	case in == cty.NilVal || in.IsNull():
		return nil
	case !in.IsKnown():
		return Unknown
	case in.Type() == cty.String:
		return in.AsString()
	case in.Type() == cty.Bool:
		return in.True()
	case in.Type() == cty.Number:
		out, _ := in.AsBigFloat().Float64()
		return out
	case in.Type().IsMapType(), in.Type().IsObjectType():
		out := map[string]any{}
		for key, element := range in.AsValueMap() {
			out[key] = plain(element)
		}
		return out
	default:
		out := []any{}
		for _, element := range in.AsValueSlice() {
			out = append(out, plain(element))
		}
		return out
	}
}

// proposed returns the proposed new value for a plan: configured values, and earlier computed ones. It follows Terraform's rules, except that elements of lists
// and maps keep nothing of the prior value.
func proposed(attributes []*tfprotov6.SchemaAttribute, prior, config cty.Value) cty.Value {
	out := map[string]cty.Value{}
	for _, a := range attributes {
		was := cty.NullVal(config.Type().AttributeType(a.Name))
		if !prior.IsNull() && prior.IsKnown() {
			was = prior.GetAttr(a.Name)
		}
		is := config.GetAttr(a.Name)
		switch {
		case a.WriteOnly:
			is = cty.NullVal(is.Type())
		case a.Computed && is.IsNull():
			is = was
		case a.NestedType != nil && a.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle && is.IsKnown() && !is.IsNull():
			is = proposed(a.NestedType.Attributes, was, is)
		}
		out[a.Name] = is
	}
	return cty.ObjectVal(out)
}

// unreadValue returns the value of a data source that cannot be read yet.
func unreadValue(attributes []*tfprotov6.SchemaAttribute, config cty.Value) cty.Value {
	out := map[string]cty.Value{}
	for _, a := range attributes {
		out[a.Name] = config.GetAttr(a.Name)
		if a.Computed && out[a.Name].IsNull() {
			out[a.Name] = cty.UnknownVal(out[a.Name].Type())
		}
	}
	return cty.ObjectVal(out)
}

// findMisplanned describes the first attribute whose planned value is neither configured nor prior, or that is write-only and not null. It skips computed and
// nested attributes. It returns an empty string if there is none.
func findMisplanned(attributes []*tfprotov6.SchemaAttribute, config, prior, planned cty.Value) string {
	for _, a := range attributes {
		got, want := planned.GetAttr(a.Name), config.GetAttr(a.Name)
		kept := !prior.IsNull() && got.RawEquals(prior.GetAttr(a.Name))
		switch {
		case a.WriteOnly && !got.IsNull():
			return a.Name + " is write-only"
		case a.WriteOnly || a.Computed || a.NestedType != nil: // a nested attribute can contain computed attributes
		case !got.RawEquals(want) && !kept:
			return fmt.Sprintf("%s is %s, and configured as %s", a.Name, show(got), show(want))
		}
	}
	return ""
}

// contradiction describes a difference from a value that was known before, empty for none.
func contradiction(before, after cty.Value, at string) string {
	switch {
	case !before.IsKnown():
		return ""
	case before.IsNull() || after.IsNull() || !after.IsKnown() || before.Type().IsPrimitiveType():
		if !before.RawEquals(after) {
			return fmt.Sprintf("%s was %s and is %s", at, show(before), show(after))
		}
		return ""
	case before.Type().IsSetType(): // elements of a partly known set cannot be matched
		if before.IsWhollyKnown() && !before.RawEquals(after) {
			return fmt.Sprintf("%s was %s and is %s", at, show(before), show(after))
		}
		return ""
	case before.LengthInt() != after.LengthInt():
		return fmt.Sprintf("%s had %d elements and has %d", at, before.LengthInt(), after.LengthInt())
	}
	for elements := before.ElementIterator(); elements.Next(); {
		key, was := elements.Element()
		is := cty.NullVal(was.Type())
		switch {
		case before.Type().IsObjectType():
			is = after.GetAttr(key.AsString())
		case after.HasIndex(key).True():
			is = after.Index(key)
		}
		if found := contradiction(was, is, fmt.Sprintf("%s[%s]", at, show(key))); found != "" {
			return found
		}
	}
	return ""
}

// show formats a value for a message.
func show(value cty.Value) string {
	if !value.IsWhollyKnown() {
		return fmt.Sprint(plain(value))
	}
	text, err := ctyjson.Marshal(value, value.Type())
	if err != nil {
		return err.Error()
	}
	return string(text)
}
