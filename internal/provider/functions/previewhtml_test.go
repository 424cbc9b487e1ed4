package functions

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestPreviewHTML(t *testing.T) {
	const valid = `{"fleet_report":2,"placement":"web","missing":"not planned","effects":{}}`
	for name, c := range map[string]struct {
		previews []attr.Value
		page, at string
	}{
		"none":    {previews: []attr.Value{}, page: `id="data">[]</script>`},
		"two":     {previews: []attr.Value{types.StringValue(valid), types.StringValue(valid)}, page: "not planned"},
		"invalid": {previews: []attr.Value{types.StringValue(valid), types.StringValue("{}")}, at: "previews[1]: it is not a report_data"},
		"null":    {previews: []attr.Value{types.StringNull()}, at: "previews[0] is null"},
	} {
		t.Run(name, func(t *testing.T) {
			response := function.RunResponse{Result: function.NewResultData(types.StringUnknown())}
			NewPreviewHTML().Run(t.Context(), function.RunRequest{Arguments: function.NewArgumentsData([]attr.Value{types.ListValueMust(types.StringType, c.previews)})}, &response)
			if c.at != "" {
				if response.Error == nil || !strings.Contains(response.Error.Text, c.at) || response.Error.FunctionArgument == nil || *response.Error.FunctionArgument != 0 {
					t.Errorf("got %v instead of an error for the first argument with %q", response.Error, c.at)
				}
				return
			}
			if response.Error != nil {
				t.Fatal(response.Error)
			}
			page, is := response.Result.Value().(types.String)
			if !is || !strings.Contains(page.ValueString(), c.page) {
				t.Errorf("missing %q in %s", c.page, page)
			}
		})
	}
}
