package validate

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
)

// Choice accepts lists of texts that each validator accepts. An empty list is an error: it would select nothing, and all if it is left out.
func Choice(each ...validator.String) validator.List { return choice{each: each} }

type choice struct{ each []validator.String }

func (choice) Description(context.Context) string             { return "must have an element" }
func (v choice) MarkdownDescription(c context.Context) string { return v.Description(c) }

func (v choice) ValidateList(ctx context.Context, request validator.ListRequest, response *validator.ListResponse) {
	if request.ConfigValue.IsNull() || request.ConfigValue.IsUnknown() {
		return
	}
	if len(request.ConfigValue.Elements()) == 0 {
		response.Diagnostics.AddAttributeError(convert.First(request.Path), "Empty list",
			request.Path.String()+" has no element, so that nothing is selected. Name at least one, or leave the argument out to select all.")
	}
	for i, element := range request.ConfigValue.Elements() {
		if text, ok := element.(types.String); ok {
			v.element(ctx, request.Path.AtListIndex(i), text, response)
		}
	}
}

func (v choice) element(ctx context.Context, at path.Path, text types.String, response *validator.ListResponse) {
	for _, one := range v.each {
		var found validator.StringResponse
		one.ValidateString(ctx, validator.StringRequest{Path: at, ConfigValue: text}, &found)
		response.Diagnostics.Append(found.Diagnostics...)
	}
}
