package yamltext

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
)

// Texts are the texts of a map that are known. An element that is null is one that was left out, by a condition for instance.
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

// KeepNulls gives texts that were read the elements without a text that they were written with.
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

// Masked are the texts with the values of Secrets in them masked, as [manifest.Mask] does it; before and masked are those of the last time.
// What is not known stays unknown.
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

// Digests are the digests of the objects in the texts, as [manifest.Digests] makes them; before and digests are those of the last time. They are unknown as
// long as a text is.
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
