package report

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

// Withheld warns about the values and messages that a status lacks.
func Withheld(diags *diag.Diagnostics, name string, withheld *engine.Withheld) {
	if withheld == nil {
		return
	}
	cause := ""
	if withheld.Err != nil {
		cause = ": " + model.Message(withheld.Err.Error())
	}
	diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("Placement %q: values in the status are withheld", model.Name(name)), fmt.Sprintf(
		"The status lacks messages, and values of differences, about %s. They may quote sensitive values of overrides, and the overrides on the hub could not be read%s. "+
			"Fix this, for example by granting the right to list the overrides, and refresh.",
		printable.Cut(engine.Some(withheld.About), maxError), cause))
}
