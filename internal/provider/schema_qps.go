package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

const (
	leastQPS     = 0.1
	unlimitedQPS = -1
)

// qpsValidator accepts a rate, or the one number that means none. Two validators of which either may accept would both complain.
type qpsValidator struct{}

func (qpsValidator) Description(context.Context) string {
	return fmt.Sprintf("at least %v, or %d for no limit", leastQPS, unlimitedQPS)
}

func (v qpsValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v qpsValidator) ValidateFloat64(ctx context.Context, request validator.Float64Request, response *validator.Float64Response) {
	value := request.ConfigValue.ValueFloat64()
	if request.ConfigValue.IsNull() || request.ConfigValue.IsUnknown() || value >= leastQPS || value == unlimitedQPS {
		return
	}
	response.Diagnostics.AddAttributeError(request.Path, "Invalid qps",
		fmt.Sprintf("%v is %g, and must be %s.", request.Path, value, v.Description(ctx)))
}
