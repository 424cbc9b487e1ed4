package report

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// Nowhere tells that an apply has ended and the placement is on no cluster, though its policy asks for some.
func Nowhere(diags *diag.Diagnostics, name string) {
	diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("Placement %q is on no cluster", name),
		"No cluster of the fleet is picked by its policy, so nothing was placed. A cluster joins the fleet with a fleet_member_cluster, and has to be "+
			"there before the placement is applied: let the placement depend on it (depends_on). The next plan says of every cluster why it is not "+
			"picked, and shows an update until the placement is on one.")
}
