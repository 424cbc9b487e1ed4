package convert

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// AsWritten returns written if it differs from read only in null elements of lists, sets and maps, and read otherwise. If a refresh dropped the null elements,
// every plan would add them again.
func AsWritten[V attr.Value](ctx context.Context, read, written V) V {
	has, errRead := read.ToTerraformValue(ctx)
	wrote, errWritten := written.ToTerraformValue(ctx)
	if errRead != nil || errWritten != nil {
		return read
	}
	nonNull := removeRawNulls(wrote)
	switch {
	case nonNull.Equal(wrote):
		return read
	case nonNull.Equal(has), has.IsNull() && nonNull.Equal(emptyLike(nonNull)):
		return written
	default:
		return read
	}
}

// removeNulls removes null elements of lists, sets and maps.
func removeNulls[V attr.Value](ctx context.Context, in V) V {
	raw, err := in.ToTerraformValue(ctx)
	if err != nil {
		return in
	}
	nonNull := removeRawNulls(raw)
	if nonNull.Equal(raw) {
		return in
	}
	out, err := in.Type(ctx).ValueFromTerraform(ctx, nonNull)
	if value, same := out.(V); err == nil && same {
		return value
	}
	return in
}

func removeRawNulls(in tftypes.Value) tftypes.Value {
	if in.IsNull() || !in.IsKnown() {
		return in
	}
	var list []tftypes.Value
	var fields map[string]tftypes.Value
	switch {
	case (in.Type().Is(tftypes.List{}) || in.Type().Is(tftypes.Set{})) && in.As(&list) == nil:
		nonNull := []tftypes.Value{}
		for _, element := range list {
			if !element.IsNull() {
				nonNull = append(nonNull, removeRawNulls(element))
			}
		}
		return tftypes.NewValue(in.Type(), nonNull)
	case in.Type().Is(tftypes.Map{}) && in.As(&fields) == nil:
		nonNull := map[string]tftypes.Value{}
		for key, field := range fields {
			if !field.IsNull() {
				nonNull[key] = removeRawNulls(field)
			}
		}
		return tftypes.NewValue(in.Type(), nonNull)
	case in.Type().Is(tftypes.Object{}) && in.As(&fields) == nil:
		nonNull := make(map[string]tftypes.Value, len(fields))
		for name, field := range fields {
			nonNull[name] = removeRawNulls(field)
		}
		return tftypes.NewValue(in.Type(), nonNull)
	default:
		return in
	}
}

func emptyLike(in tftypes.Value) tftypes.Value {
	if in.Type().Is(tftypes.Map{}) {
		return tftypes.NewValue(in.Type(), map[string]tftypes.Value{})
	}
	return tftypes.NewValue(in.Type(), []tftypes.Value{})
}
