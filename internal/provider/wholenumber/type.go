// Package wholenumber has an attribute type for whole numbers. The framework's own type reports a fraction as a bug in the provider.
package wholenumber

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

var (
	_ basetypes.Int32Typable      = Type{}
	_ basetypes.Int32Valuable     = Value{}
	_ xattr.ValidateableAttribute = Value{}
)

// Type is a whole number of 32 bits.
type Type struct {
	basetypes.Int32Type
	// Legal replaces an invalid number, so that no validator reports that number again. The default is 1.
	Legal int32
}

// String returns the name of the type for error messages.
func (Type) String() string { return "wholenumber.Type" }

// Equal reports whether the types are equal.
func (t Type) Equal(o attr.Type) bool {
	other, ok := o.(Type)
	return ok && t.Int32Type.Equal(other.Int32Type)
}

// ValueType returns the value of the type, for the framework.
func (Type) ValueType(context.Context) attr.Value { return Value{} }

// ValueFromInt32 returns a value of the type.
func (Type) ValueFromInt32(_ context.Context, in basetypes.Int32Value) (basetypes.Int32Valuable, diag.Diagnostics) {
	return Value{Int32Value: in}, nil
}

// ValueFromTerraform converts a value. If it is not a whole number of 32 bits, the result reports the problem when the configuration is validated.
func (t Type) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	if problem := findProblem(in); problem != "" {
		return Value{Int32Value: basetypes.NewInt32Value(cmp.Or(t.Legal, 1)), problem: problem}, nil
	}
	value, err := t.Int32Type.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	number, ok := value.(basetypes.Int32Value)
	if !ok {
		return nil, fmt.Errorf("unexpected value type %T", value)
	}
	return Value{Int32Value: number}, nil
}

func findProblem(in tftypes.Value) string {
	var number big.Float
	if in.IsNull() || !in.IsKnown() || in.As(&number) != nil {
		return ""
	}
	whole, accuracy := number.Int64()
	switch {
	case !number.IsInt():
		return "is not a whole number"
	case accuracy != big.Exact || whole > math.MaxInt32 || whole < math.MinInt32:
		return fmt.Sprintf("is out of range: it must be between %d and %d", math.MinInt32, math.MaxInt32)
	default:
		return ""
	}
}

// Value is a whole number.
type Value struct {
	basetypes.Int32Value
	// problem describes why the given number is invalid.
	problem string
}

// FromPointer returns the number, or null for nil.
func FromPointer(in *int32) Value { return Value{Int32Value: basetypes.NewInt32PointerValue(in)} }

// Type returns the type, for the framework.
func (Value) Type(context.Context) attr.Type { return Type{} }

// Equal reports whether the numbers and their problems are equal.
func (v Value) Equal(o attr.Value) bool {
	other, ok := o.(Value)
	return ok && v.Int32Value.Equal(other.Int32Value) && v.problem == other.problem
}

// ValidateAttribute reports the problem of an invalid number, at the attribute of the resource.
func (v Value) ValidateAttribute(_ context.Context, request xattr.ValidateAttributeRequest, response *xattr.ValidateAttributeResponse) {
	if v.problem == "" {
		return
	}
	response.Diagnostics.AddAttributeError(convert.First(request.Path), "Invalid number in "+request.Path.String(), "The number "+v.problem+".")
}
