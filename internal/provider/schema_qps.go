package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

const (
	minQPS       = 0.1
	maxQPS       = 1_000_000
	unlimitedQPS = -1
)

// qpsValidator accepts a rate, or the number that means no limit. It is one validator, because two combined validators would both report an error.
type qpsValidator struct{}

func (qpsValidator) Description(context.Context) string {
	return fmt.Sprintf("at least %v, or %d for no limit", minQPS, unlimitedQPS)
}

func (v qpsValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v qpsValidator) ValidateNumber(ctx context.Context, request validator.NumberRequest, response *validator.NumberResponse) {
	value := expandQPS(request.ConfigValue)
	switch {
	case request.ConfigValue.IsNull() || request.ConfigValue.IsUnknown() || value == unlimitedQPS:
		return
	case value > maxQPS:
		response.Diagnostics.AddAttributeError(request.Path, "Invalid qps",
			fmt.Sprintf("%v is %g, and must be at most %d. Set it to %d for no limit.", request.Path, value, maxQPS, unlimitedQPS))
		return
	case value >= minQPS:
		return
	}
	response.Diagnostics.AddAttributeError(request.Path, "Invalid qps",
		fmt.Sprintf("%v is %g, and must be %s.", request.Path, value, v.Description(ctx)))
}

// expandQPS returns the rate, or 0 if it is not set. The attribute is a number because the framework reports a float that is too large as a bug.
func expandQPS(in types.Number) float64 {
	if in.IsNull() || in.IsUnknown() {
		return 0
	}
	value, _ := in.ValueBigFloat().Float64()
	return value
}
