package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

const (
	leastQPS     = 0.1
	mostQPS      = 1_000_000
	unlimitedQPS = -1
)

// qpsValidator accepts a rate, or the one number that means none. Two validators of which either may accept would both complain.
type qpsValidator struct{}

func (qpsValidator) Description(context.Context) string {
	return fmt.Sprintf("at least %v, or %d for no limit", leastQPS, unlimitedQPS)
}

func (v qpsValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v qpsValidator) ValidateNumber(ctx context.Context, request validator.NumberRequest, response *validator.NumberResponse) {
	value := qpsOf(request.ConfigValue)
	switch {
	case request.ConfigValue.IsNull() || request.ConfigValue.IsUnknown() || value == unlimitedQPS:
		return
	case value > mostQPS:
		response.Diagnostics.AddAttributeError(request.Path, "Invalid qps",
			fmt.Sprintf("%v is %g, and must be at most %d. Set it to %d for no limit.", request.Path, value, mostQPS, unlimitedQPS))
		return
	case value >= leastQPS:
		return
	}
	response.Diagnostics.AddAttributeError(request.Path, "Invalid qps",
		fmt.Sprintf("%v is %g, and must be %s.", request.Path, value, v.Description(ctx)))
}

// qpsOf is the rate; 0 of one that is not set. The attribute is a number, because the framework reports a float that is too large as a bug.
func qpsOf(in types.Number) float64 {
	if in.IsNull() || in.IsUnknown() {
		return 0
	}
	value, _ := in.ValueBigFloat().Float64()
	return value
}
