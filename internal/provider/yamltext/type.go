// Package yamltext has an attribute type for YAML texts. Two texts that mean the same are not a difference.
package yamltext

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

var (
	_ basetypes.StringTypable                    = Type{}
	_ basetypes.StringValuableWithSemanticEquals = Value{}
)

// Type is a string that contains YAML.
type Type struct{ basetypes.StringType }

// String returns the name of the type for error messages.
func (Type) String() string { return "yamltext.Type" }

// Equal reports whether the types are equal.
func (t Type) Equal(o attr.Type) bool {
	other, ok := o.(Type)
	return ok && t.StringType.Equal(other.StringType)
}

// ValueType returns the value of the type, for the framework.
func (Type) ValueType(context.Context) attr.Value { return Value{} }

// ValueFromString returns a value of the type.
func (Type) ValueFromString(_ context.Context, in basetypes.StringValue) (basetypes.StringValuable, diag.Diagnostics) {
	return Value{StringValue: in}, nil
}

// ValueFromTerraform converts a value.
func (t Type) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	value, err := t.StringType.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	text, ok := value.(basetypes.StringValue)
	if !ok {
		return nil, fmt.Errorf("unexpected value type %T", value)
	}
	return Value{StringValue: text}, nil
}

// Value is a YAML text.
type Value struct{ basetypes.StringValue }

// Type returns the type, for the framework.
func (Value) Type(context.Context) attr.Type { return Type{} }

// String returns the length of the text and none of its content: the framework logs it, and the text may contain Secrets.
func (v Value) String() string {
	if v.IsNull() || v.IsUnknown() {
		return v.StringValue.String()
	}
	return fmt.Sprintf("<%d bytes of YAML>", len(v.ValueString()))
}

// Equal compares the texts byte by byte.
func (v Value) Equal(o attr.Value) bool {
	other, ok := o.(Value)
	return ok && v.StringValue.Equal(other.StringValue)
}

// StringSemanticEquals compares the meaning of the texts. Comments, indentation and the order of keys do not matter.
func (v Value) StringSemanticEquals(_ context.Context, other basetypes.StringValuable) (bool, diag.Diagnostics) {
	o, ok := other.(Value)
	return ok && manifest.Equivalent(v.ValueString(), o.ValueString()), nil
}
