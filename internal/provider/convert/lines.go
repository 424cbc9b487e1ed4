package convert

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
)

// Line returns the value of a computed attribute with text from a cluster. Terraform prints the values of outputs unchanged, so they must not contain
// control characters.
func Line(text string) types.String { return types.StringValue(printable.Line(text)) }

// printableLines makes all texts in the value of a computed attribute printable. It does not change the value of an attribute that users can set.
func printableLines[V attr.Value](ctx context.Context, attribute Typed, in V, diags *diag.Diagnostics) V {
	set, ok := attribute.(interface {
		IsComputed() bool
		IsOptional() bool
	})
	if !ok || !set.IsComputed() || set.IsOptional() {
		return in
	}
	raw, err := in.ToTerraformValue(ctx)
	if err != nil {
		diags.AddError("A value cannot be converted", err.Error()+". This is a bug in the provider.")
		return in
	}
	out, err := in.Type(ctx).ValueFromTerraform(ctx, printableRaw(raw))
	printed, same := out.(V)
	if err != nil || !same {
		diags.AddError("A value cannot be converted", "Its texts could not be made printable. This is a bug in the provider.")
		return in
	}
	return printed
}

func printableRaw(in tftypes.Value) tftypes.Value {
	if in.IsNull() || !in.IsKnown() {
		return in
	}
	var text string
	var list []tftypes.Value
	var fields map[string]tftypes.Value
	switch {
	case in.Type().Is(tftypes.String) && in.As(&text) == nil:
		return tftypes.NewValue(in.Type(), printable.Line(text))
	case (in.Type().Is(tftypes.List{}) || in.Type().Is(tftypes.Set{})) && in.As(&list) == nil:
		for i, element := range list {
			list[i] = printableRaw(element)
		}
		return tftypes.NewValue(in.Type(), list)
	case (in.Type().Is(tftypes.Map{}) || in.Type().Is(tftypes.Object{})) && in.As(&fields) == nil:
		out := make(map[string]tftypes.Value, len(fields))
		for key, field := range fields {
			out[printable.Line(key)] = printableRaw(field)
		}
		return tftypes.NewValue(in.Type(), out)
	default:
		return in
	}
}
