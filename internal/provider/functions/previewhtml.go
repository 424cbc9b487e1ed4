package functions

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/html"
)

type previewHTML struct{}

// NewPreviewHTML returns the function preview_html.
func NewPreviewHTML() function.Function { return previewHTML{} }

// Metadata returns the name of the function.
func (previewHTML) Metadata(_ context.Context, _ function.MetadataRequest, response *function.MetadataResponse) {
	response.Name = "preview_html"
}

// Definition returns the signature and the documentation of the function.
func (previewHTML) Definition(_ context.Context, _ function.DefinitionRequest, response *function.DefinitionResponse) {
	response.Definition = function.Definition{
		Summary: "Shows previews of placements as a page for a browser",
		MarkdownDescription: "Returns one HTML page that shows any number of previews: totals, a matrix of objects and clusters, the fields that differ, and what " +
			"the report says about each placement and cluster. The page has filters, can be used with the keyboard, and prints the changes. It is one file, " +
			"loads nothing from the network, and contains no values of Secrets. Equal previews result in equal pages. Previews with " +
			"assumptions (`assume`) have rows of their own and do not count in the total of all placements.\n\nDo not use the page as an output: " +
			"it changes after each apply, so that the next plan would not be empty. The guide about takeovers [writes it from a " +
			"saved plan](../guides/takeover.md#a-page-for-a-browser).",
		Parameters: []function.Parameter{function.ListParameter{
			Name: "previews", ElementType: types.StringType,
			MarkdownDescription: "Values of `report_data` of the data source `fleet_placement_preview`, written by the same version of the provider.",
		}},
		Return: function.StringReturn{},
	}
}

// Run runs the function.
func (previewHTML) Run(ctx context.Context, request function.RunRequest, response *function.RunResponse) {
	var previews []*string
	if response.Error = request.Arguments.Get(ctx, &previews); response.Error != nil {
		return
	}
	texts := make([]string, len(previews))
	for i, text := range previews {
		if text == nil {
			response.Error = function.NewArgumentFuncError(0, fmt.Sprintf("previews[%d] is null", i))
			return
		}
		texts[i] = *text
	}
	page, err := html.Page(texts)
	if invalid, is := errors.AsType[*html.PreviewError](err); is {
		response.Error = function.NewArgumentFuncError(0, fmt.Sprintf("previews[%d]: %s", invalid.Index, invalid.Err))
		return
	}
	if err != nil {
		response.Error = function.NewFuncError(err.Error())
		return
	}
	response.Error = response.Result.Set(ctx, page)
}
