package yamltext

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
)

// Texts returns the known texts of a map. A null element, which a conditional expression can return, counts as omitted.
func Texts(in types.Map) map[string]string {
	if in.IsNull() || in.IsUnknown() {
		return nil
	}
	out := map[string]string{}
	for key, element := range in.Elements() {
		if text, ok := element.(Value); ok && !text.IsNull() && !text.IsUnknown() {
			out[key] = text.ValueString()
		}
	}
	return out
}

// KeepNulls adds the null elements of the written texts to the texts that were read.
func KeepNulls(read, written types.Map) types.Map {
	if read.IsNull() || read.IsUnknown() {
		return read
	}
	elements := read.Elements()
	for key, element := range written.Elements() {
		if _, found := elements[key]; !found && element.IsNull() {
			elements[key] = element
		}
	}
	return types.MapValueMust(Type{}, elements)
}

// MaskedType is the type of the elements of a map that Masked returns.
var MaskedType = types.StringType

// Masked returns the texts with the values of Secrets masked by [manifest.Mask]. before and masked are the texts and the result of the previous call.
// Unknown texts remain unknown.
func Masked(in, before, masked types.Map) types.Map {
	switch {
	case in.IsUnknown():
		return types.MapUnknown(MaskedType)
	case in.IsNull():
		return types.MapNull(MaskedType)
	}
	elements := map[string]attr.Value{}
	for key, text := range manifest.Mask(Texts(in), Texts(before), plainTexts(masked)) {
		elements[printable.Line(key)] = types.StringValue(text)
	}
	for key, element := range in.Elements() {
		if element.IsUnknown() {
			elements[printable.Line(key)] = types.StringUnknown()
		}
	}
	return types.MapValueMust(MaskedType, elements)
}

// Digests returns the digests of the objects in the texts, by [manifest.Digests]. before and digests are the texts and the result of the previous call.
// The result is unknown if a text is unknown.
func Digests(in, before, digests types.Map) types.Map {
	switch {
	case in.IsNull():
		return types.MapNull(types.StringType)
	case in.IsUnknown() || slices.ContainsFunc(slices.Collect(maps.Values(in.Elements())), attr.Value.IsUnknown):
		return types.MapUnknown(types.StringType)
	}
	elements := map[string]attr.Value{}
	for name, digest := range manifest.Digests(Texts(in), Texts(before), plainTexts(digests)) {
		elements[printable.Line(name)] = types.StringValue(digest)
	}
	return types.MapValueMust(types.StringType, elements)
}

func plainTexts(in types.Map) map[string]string {
	out := map[string]string{}
	for key, element := range in.Elements() {
		if text, ok := element.(types.String); ok {
			out[key] = text.ValueString()
		}
	}
	return out
}
