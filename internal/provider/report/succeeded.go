package report

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

// Succeeded refuses to remove a placement right after another one was created that was to place the same objects: neither would have them then.
func Succeeded(diags *diag.Diagnostics, name, by string, objects []manifest.Identifier) {
	name, by = model.Name(name), model.Name(by)
	diags.AddAttributeError(path.Root("name"), fmt.Sprintf("Placement %q was not removed: %q is to place what it has", name, by), fmt.Sprintf(
		"The placement %q was created by this apply before %q was removed, and could not have what that has: %s. To remove %q now would take that "+
			"off the clusters, so nothing was removed.\n\n"+
			"No placement can be created before the one that it takes the place of is removed. lifecycle.create_before_destroy asks for that, "+
			"on this resource or on one that depends on it: leave it out. "+
			"Then apply again: this removes what %q has. The apply after that places it as %q.",
		by, name, model.Message(engine.Some(objects)), name, name, by))
}
