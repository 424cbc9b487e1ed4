// Package yamltext is the attribute type for YAML that people write: two texts that mean the same are no difference.
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

// Type is a string that holds YAML.
type Type struct{ basetypes.StringType }

// String names the type in error messages.
func (Type) String() string { return "yamltext.Type" }

// Equal compares types.
func (t Type) Equal(o attr.Type) bool {
	other, ok := o.(Type)
	return ok && t.StringType.Equal(other.StringType)
}

// ValueType returns the type's value, for the framework.
func (Type) ValueType(context.Context) attr.Value { return Value{} }

// ValueFromString makes a value.
func (Type) ValueFromString(_ context.Context, in basetypes.StringValue) (basetypes.StringValuable, diag.Diagnostics) {
	return Value{StringValue: in}, nil
}

// ValueFromTerraform makes a value.
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

// Value is YAML text.
type Value struct{ basetypes.StringValue }

// Type returns the type, for the framework.
func (Value) Type(context.Context) attr.Type { return Type{} }

// String says how long the text is, and nothing of what is in it: the framework logs it, and the text may hold Secrets.
func (v Value) String() string {
	if v.IsNull() || v.IsUnknown() {
		return v.StringValue.String()
	}
	return fmt.Sprintf("<%d bytes of YAML>", len(v.ValueString()))
}

// Equal compares byte by byte.
func (v Value) Equal(o attr.Value) bool {
	other, ok := o.(Value)
	return ok && v.StringValue.Equal(other.StringValue)
}

// StringSemanticEquals compares what the YAML means: the order of keys, comments and indentation do not matter.
func (v Value) StringSemanticEquals(_ context.Context, other basetypes.StringValuable) (bool, diag.Diagnostics) {
	o, ok := other.(Value)
	return ok && manifest.Equivalent(v.ValueString(), o.ValueString()), nil
}
