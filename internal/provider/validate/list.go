package validate

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

// Choice accepts lists whose elements all validators accept. It rejects an empty list, because that would select nothing, while an omitted list
// selects the default.
func Choice(each ...validator.String) validator.List { return choiceValidator{each: each} }

type choiceValidator struct{ each []validator.String }

func (choiceValidator) Description(context.Context) string             { return "must have an element" }
func (v choiceValidator) MarkdownDescription(c context.Context) string { return v.Description(c) }

func (v choiceValidator) ValidateList(ctx context.Context, request validator.ListRequest, response *validator.ListResponse) {
	if request.ConfigValue.IsNull() || request.ConfigValue.IsUnknown() {
		return
	}
	if len(request.ConfigValue.Elements()) == 0 {
		response.Diagnostics.AddAttributeError(convert.First(request.Path), "Empty list",
			request.Path.String()+" is empty, so nothing is selected. Add at least one element, or omit the argument to use its default.")
	}
	for i, element := range request.ConfigValue.Elements() {
		if text, ok := element.(types.String); ok {
			v.validateElement(ctx, request.Path.AtListIndex(i), text, response)
		}
	}
}

func (v choiceValidator) validateElement(ctx context.Context, at path.Path, text types.String, response *validator.ListResponse) {
	for _, elementValidator := range v.each {
		var found validator.StringResponse
		elementValidator.ValidateString(ctx, validator.StringRequest{Path: at, ConfigValue: text}, &found)
		response.Diagnostics.Append(found.Diagnostics...)
	}
}
