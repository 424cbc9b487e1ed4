package validate

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

// AtLeast accepts numbers that are not smaller than least.
func AtLeast(least int32) validator.Int32 { return atLeastValidator(least) }

type atLeastValidator int32

func (v atLeastValidator) Description(context.Context) string {
	return fmt.Sprintf("must be %d or more", int32(v))
}
func (v atLeastValidator) MarkdownDescription(c context.Context) string { return v.Description(c) }

func (v atLeastValidator) ValidateInt32(_ context.Context, request validator.Int32Request, response *validator.Int32Response) {
	if request.ConfigValue.IsNull() || request.ConfigValue.IsUnknown() || request.ConfigValue.ValueInt32() >= int32(v) {
		return
	}
	response.Diagnostics.AddAttributeError(convert.First(request.Path), "Number too small",
		fmt.Sprintf("%s is %d. It must be %d or more.", request.Path, request.ConfigValue.ValueInt32(), int32(v)))
}
