package report

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

// Trusted warns about an import whose records on some clusters could not be verified. title is the quoted name of the placement.
func Trusted(diags *diag.Diagnostics, title string, clusters []string) {
	if len(clusters) > 0 {
		diags.AddAttributeWarning(path.Root("name"), "The records of placement "+title+" are trusted without verification",
			model.Trusted(clusters)+" The next apply that changes the placement signs them. Before that apply, check that its plan updates and deletes only "+
				"objects of the placement: every client with the right to write ConfigMaps in fleet-system on one of these clusters can have changed what the placement owns.")
	}
}
