package convert

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// Typed is an attribute in the schema of a resource or a data source.
type Typed interface{ GetType() attr.Type }

// Each converts the elements of a list. It returns nil for nil, because a configuration distinguishes null from empty.
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

// All does the same as Each, but never returns nil.
func All[A, B any](in []A, convert func(A) B) []B {
	if out := Each(in, convert); out != nil {
		return out
	}
	return []B{}
}

// Distinct returns the elements without duplicates, in their order. It returns nil for nil.
func Distinct[T comparable](in []T) []T {
	if in == nil {
		return nil
	}
	out := make([]T, 0, len(in))
	for _, element := range in {
		if !slices.Contains(out, element) {
			out = append(out, element)
		}
	}
	return out
}

// Value returns the value that a pointer points to, or the zero value for nil. The zero value represents an omitted value.
func Value[T any](in *T) T {
	if in == nil {
		var zero T
		return zero
	}
	return *in
}

// Optional returns a pointer to the value, or nil for the zero value, which represents an omitted value.
func Optional[T comparable](in T) *T {
	var zero T
	if in == zero {
		return nil
	}
	return &in
}

// String returns the value of an optional text attribute: null for an empty text.
func String[T ~string](in T) types.String {
	if in == "" {
		return types.StringNull()
	}
	return types.StringValue(string(in))
}

// Object returns the value of an attribute with nested attributes, or null for nil. In Object, List, Set and Map, texts of a computed attribute
// become printable lines.
func Object[T any](ctx context.Context, attribute Typed, in *T, diags *diag.Diagnostics) types.Object {
	if in == nil {
		return types.ObjectNull(attributeTypes(attribute))
	}
	out, d := types.ObjectValueFrom(ctx, attributeTypes(attribute), in)
	diags.Append(d...)
	return printableLines(ctx, attribute, out, diags)
}

// UnknownObject returns the unknown value of an attribute with nested attributes.
func UnknownObject(attribute Typed) types.Object {
	return types.ObjectUnknown(attributeTypes(attribute))
}

// List returns the value of a list attribute, or null for nil.
func List[T any](ctx context.Context, attribute Typed, in []T, diags *diag.Diagnostics) types.List {
	if in == nil {
		return types.ListNull(ElementType(attribute))
	}
	out, d := types.ListValueFrom(ctx, ElementType(attribute), in)
	diags.Append(d...)
	return printableLines(ctx, attribute, out, diags)
}

// Set returns the value of a set attribute, or null for nil.
func Set[T any](ctx context.Context, attribute Typed, in []T, diags *diag.Diagnostics) types.Set {
	if in == nil {
		return types.SetNull(ElementType(attribute))
	}
	out, d := types.SetValueFrom(ctx, ElementType(attribute), in)
	diags.Append(d...)
	return printableLines(ctx, attribute, out, diags)
}

// Map returns the value of a map attribute, or null for nil.
func Map[T any](ctx context.Context, attribute Typed, in map[string]T, diags *diag.Diagnostics) types.Map {
	if in == nil {
		return types.MapNull(ElementType(attribute))
	}
	out, d := types.MapValueFrom(ctx, ElementType(attribute), in)
	diags.Append(d...)
	return printableLines(ctx, attribute, out, diags)
}

// FromObject converts an object. It returns nil if the object is null or unknown. In FromObject, FromList, FromSet and FromMap, a null element of a
// list, set or map counts as omitted, because conditional expressions omit elements with null.
func FromObject[T any](ctx context.Context, in types.Object, diags *diag.Diagnostics) *T {
	if in.IsNull() || in.IsUnknown() {
		return nil
	}
	var out T
	diags.Append(removeNulls(ctx, in).As(ctx, &out, basetypes.ObjectAsOptions{})...)
	return &out
}

// FromList converts a list. It returns nil if the list is null or unknown.
func FromList[T any](ctx context.Context, in types.List, diags *diag.Diagnostics) []T {
	if in.IsNull() || in.IsUnknown() {
		return nil
	}
	var out []T
	diags.Append(removeNulls(ctx, in).ElementsAs(ctx, &out, false)...)
	return out
}

// FromSet converts a set. It returns nil if the set is null or unknown.
func FromSet[T any](ctx context.Context, in types.Set, diags *diag.Diagnostics) []T {
	if in.IsNull() || in.IsUnknown() {
		return nil
	}
	var out []T
	diags.Append(removeNulls(ctx, in).ElementsAs(ctx, &out, false)...)
	return out
}

// FromMap converts a map. It returns nil if the map is null or unknown.
func FromMap[T any](ctx context.Context, in types.Map, diags *diag.Diagnostics) map[string]T {
	if in.IsNull() || in.IsUnknown() {
		return nil
	}
	var out map[string]T
	diags.Append(removeNulls(ctx, in).ElementsAs(ctx, &out, false)...)
	return out
}

func attributeTypes(attribute Typed) map[string]attr.Type {
	object, ok := attribute.GetType().(attr.TypeWithAttributeTypes)
	if !ok {
		return nil
	}
	return object.AttributeTypes()
}

// ElementType returns the type of the elements of a list, set or map attribute.
func ElementType(attribute Typed) attr.Type {
	collection, ok := attribute.GetType().(attr.TypeWithElementType)
	if !ok {
		return nil
	}
	return collection.ElementType()
}
