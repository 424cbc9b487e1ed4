package report

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

// Disagreement adds a warning if a data source has previewed a placement with other arguments than those of the resource, or without the replacement that the
// resource plans.
func Disagreement(diags *diag.Diagnostics, placement string, arguments []string, hidesReplacement bool) {
	var why []string
	if len(arguments) > 0 {
		why = append(why, "The resource and the data source fleet_placement_preview have different values for "+strings.Join(arguments, ", ")+".")
	}
	if hidesReplacement {
		why = append(why, "The plan of the resource replaces a placement, and the data source fleet_placement_preview does not show that.")
	}
	if len(why) == 0 {
		return
	}
	diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("Placement %q: the data source does not show the plan", model.Name(placement)),
		strings.Join(why, " ")+" The report, the counts and the digest of the data source do not describe the apply. In the data source, set only the name, from the resource "+
			"through a local value: the data source then shows the plan of the resource. To use expected_preview, give both the same values.")
}
