package convert

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// Typed is an attribute of a schema, of a resource's or of a data source's.
type Typed interface{ GetType() attr.Type }

// Each converts the elements of a list. It keeps nil apart from empty, as the configuration does.
func Each[A, B any](in []A, convert func(A) B) []B {
	if in == nil {
		return nil
	}
	out := make([]B, len(in))
	for i, a := range in {
		out[i] = convert(a)
	}
	return out
}

// All is Each, and never nil.
func All[A, B any](in []A, convert func(A) B) []B {
	if out := Each(in, convert); out != nil {
		return out
	}
	return []B{}
}

// Distinct returns the elements without those that are there already, in their order: a set has each of them once. It keeps nil.
func Distinct[T comparable](in []T) []T {
	if in == nil {
		return nil
	}
	out := make([]T, 0, len(in))
	for _, one := range in {
		if !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	return out
}

// Value is what a pointer points to; the zero value for nil, which stands for what was left out.
func Value[T any](in *T) T {
	if in == nil {
		var zero T
		return zero
	}
	return *in
}

// Optional is nil for the zero value, which stands for what was left out.
func Optional[T comparable](in T) *T {
	var zero T
	if in == zero {
		return nil
	}
	return &in
}

// String is an attribute with an optional text.
func String[T ~string](in T) types.String {
	if in == "" {
		return types.StringNull()
	}
	return types.StringValue(string(in))
}

// Object makes the value of an attribute with attributes below; null of nil. Here and in List, Set and Map, texts of a computed attribute become
// printable lines.
func Object[T any](ctx context.Context, attribute Typed, in *T, diags *diag.Diagnostics) types.Object {
	if in == nil {
		return types.ObjectNull(attributeTypes(attribute))
	}
	out, d := types.ObjectValueFrom(ctx, attributeTypes(attribute), in)
	diags.Append(d...)
	return lines(ctx, attribute, out, diags)
}

// UnknownObject is the value of such an attribute before it is known.
func UnknownObject(attribute Typed) types.Object {
	return types.ObjectUnknown(attributeTypes(attribute))
}

// List makes the value of an attribute that is a list; null of nil.
func List[T any](ctx context.Context, attribute Typed, in []T, diags *diag.Diagnostics) types.List {
	if in == nil {
		return types.ListNull(ElementType(attribute))
	}
	out, d := types.ListValueFrom(ctx, ElementType(attribute), in)
	diags.Append(d...)
	return lines(ctx, attribute, out, diags)
}

// Set makes the value of an attribute that is a set; null of nil.
func Set[T any](ctx context.Context, attribute Typed, in []T, diags *diag.Diagnostics) types.Set {
	if in == nil {
		return types.SetNull(ElementType(attribute))
	}
	out, d := types.SetValueFrom(ctx, ElementType(attribute), in)
	diags.Append(d...)
	return lines(ctx, attribute, out, diags)
}

// Map makes the value of an attribute that is a map; null of nil.
func Map[T any](ctx context.Context, attribute Typed, in map[string]T, diags *diag.Diagnostics) types.Map {
	if in == nil {
		return types.MapNull(ElementType(attribute))
	}
	out, d := types.MapValueFrom(ctx, ElementType(attribute), in)
	diags.Append(d...)
	return lines(ctx, attribute, out, diags)
}

// FromObject reads an object; nil of one that is null or not known. Here and in FromList, FromSet and FromMap, an element of a list, set or map that is null
// counts as left out, as conditions leave it out.
func FromObject[T any](ctx context.Context, in types.Object, diags *diag.Diagnostics) *T {
	if in.IsNull() || in.IsUnknown() {
		return nil
	}
	var out T
	diags.Append(withoutNulls(ctx, in).As(ctx, &out, basetypes.ObjectAsOptions{})...)
	return &out
}

// FromList reads a list; nil of one that is null or not known.
func FromList[T any](ctx context.Context, in types.List, diags *diag.Diagnostics) []T {
	if in.IsNull() || in.IsUnknown() {
		return nil
	}
	var out []T
	diags.Append(withoutNulls(ctx, in).ElementsAs(ctx, &out, false)...)
	return out
}

// FromSet reads a set; nil of one that is null or not known.
func FromSet[T any](ctx context.Context, in types.Set, diags *diag.Diagnostics) []T {
	if in.IsNull() || in.IsUnknown() {
		return nil
	}
	var out []T
	diags.Append(withoutNulls(ctx, in).ElementsAs(ctx, &out, false)...)
	return out
}

// FromMap reads a map; nil of one that is null or not known.
func FromMap[T any](ctx context.Context, in types.Map, diags *diag.Diagnostics) map[string]T {
	if in.IsNull() || in.IsUnknown() {
		return nil
	}
	var out map[string]T
	diags.Append(withoutNulls(ctx, in).ElementsAs(ctx, &out, false)...)
	return out
}

func attributeTypes(attribute Typed) map[string]attr.Type {
	object, ok := attribute.GetType().(attr.TypeWithAttributeTypes)
	if !ok {
		return nil
	}
	return object.AttributeTypes()
}

// ElementType is the type of the elements of an attribute that is a list or a map.
func ElementType(attribute Typed) attr.Type {
	collection, ok := attribute.GetType().(attr.TypeWithElementType)
	if !ok {
		return nil
	}
	return collection.ElementType()
}
