package convert

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// AsWritten returns what a cluster has as it was written, if the two differ in null elements of lists, sets and maps only. Otherwise every plan would
// add the null elements again.
func AsWritten[V attr.Value](ctx context.Context, read, written V) V {
	has, errRead := read.ToTerraformValue(ctx)
	wrote, errWritten := written.ToTerraformValue(ctx)
	if errRead != nil || errWritten != nil {
		return read
	}
	present := rawWithoutNulls(wrote)
	switch {
	case present.Equal(wrote):
		return read
	case present.Equal(has), has.IsNull() && present.Equal(emptyOf(present)):
		return written
	default:
		return read
	}
}

// withoutNulls returns a value without the null elements of its lists, sets and maps.
func withoutNulls[V attr.Value](ctx context.Context, in V) V {
	raw, err := in.ToTerraformValue(ctx)
	if err != nil {
		return in
	}
	present := rawWithoutNulls(raw)
	if present.Equal(raw) {
		return in
	}
	out, err := in.Type(ctx).ValueFromTerraform(ctx, present)
	if value, same := out.(V); err == nil && same {
		return value
	}
	return in
}

func rawWithoutNulls(in tftypes.Value) tftypes.Value {
	if in.IsNull() || !in.IsKnown() {
		return in
	}
	var list []tftypes.Value
	var fields map[string]tftypes.Value
	switch {
	case (in.Type().Is(tftypes.List{}) || in.Type().Is(tftypes.Set{})) && in.As(&list) == nil:
		present := []tftypes.Value{}
		for _, element := range list {
			if !element.IsNull() {
				present = append(present, rawWithoutNulls(element))
			}
		}
		return tftypes.NewValue(in.Type(), present)
	case in.Type().Is(tftypes.Map{}) && in.As(&fields) == nil:
		present := map[string]tftypes.Value{}
		for key, field := range fields {
			if !field.IsNull() {
				present[key] = rawWithoutNulls(field)
			}
		}
		return tftypes.NewValue(in.Type(), present)
	case in.Type().Is(tftypes.Object{}) && in.As(&fields) == nil:
		present := make(map[string]tftypes.Value, len(fields))
		for name, field := range fields {
			present[name] = rawWithoutNulls(field)
		}
		return tftypes.NewValue(in.Type(), present)
	default:
		return in
	}
}

// emptyOf is an empty list or map of a type.
func emptyOf(in tftypes.Value) tftypes.Value {
	if in.Type().Is(tftypes.Map{}) {
		return tftypes.NewValue(in.Type(), map[string]tftypes.Value{})
	}
	return tftypes.NewValue(in.Type(), []tftypes.Value{})
}
