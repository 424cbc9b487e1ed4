package report

import (
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// whatStays is what a cluster keeps that is forgotten.
const whatStays = "What was placed on the cluster stays there, and so do its records in the namespace fleet-system: the ConfigMap member-cluster, which " +
	"registers it, and those of placements. Should the cluster come back, it takes part in the fleet as long as it has both that ConfigMap and a " +
	"connection in the provider argument \"members\"."

// ForgottenMember tells of a member that was removed from the state, and not on its cluster.
func ForgottenMember(diags *diag.Diagnostics, name string, err error) {
	why := plain(impersonal(err.Error(), name), maxMessage)
	if _, missing := errors.AsType[*engine.NotConfiguredError](err); missing {
		why = "the provider has no connection to it any more"
	}
	diags.AddWarning(fmt.Sprintf("The member cluster %q was forgotten, and not removed", name),
		"Nothing was written to the cluster: "+why+".\n\n"+whatStays)
}

// UnconnectedMember tells of a member that the engine cannot do anything for, whether it is to be removed or to stay.
func UnconnectedMember(diags *diag.Diagnostics, name string, limitation engine.Limitation, removing bool) {
	if removing {
		diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("The member cluster %q will be forgotten, and not removed", name),
			"Nothing is written to the cluster: the provider has no connection to it any more.\n\n"+whatStays)
		return
	}
	diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("The member cluster %q could not be looked at", name), limitation.Message+
		" To remove the member from the fleet, take its resource out of the configuration.")
}
