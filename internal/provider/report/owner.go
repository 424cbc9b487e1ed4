package report

import (
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/owners"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

// MemberError adds an error about the member in the argument cluster. Its attribute is the one that err names, or else cluster.
func MemberError(diags *diag.Diagnostics, summary string, err error) {
	if _, missing := errors.AsType[*engine.NotConfiguredError](err); missing {
		err = fmt.Errorf("%w. Add a connection to this member there", err)
	}
	Error(diags, path.Root("cluster"), summary, err)
}

// UnreadRecords warns that the records of placements on a member could not be read. It adds nothing if err is nil.
func UnreadRecords(diags *diag.Diagnostics, cluster string, err error) {
	if err == nil {
		return
	}
	diags.AddAttributeWarning(path.Root("cluster"), fmt.Sprintf("The records of placements on %q could not be read", model.Name(cluster)), printable.Cut(err.Error(), maxError)+
		"\n\nObjects of placements of the engine \"direct\" appear with the owner \"applyset\". Allow the account to list ConfigMaps in the namespace fleet-system.")
}

// UnfollowedController warns that the topmost controller of an object is unknown. It adds nothing if the controllers could be followed.
func UnfollowedController(diags *diag.Diagnostics, request owners.Request, found *owners.Found) {
	if found.Unfollowed == nil {
		return
	}
	diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("The topmost controller of %s on %q is unknown", model.Name(request.Object.String()), model.Name(request.Cluster)),
		"A controller could not be read: "+printable.Cut(found.Unfollowed.Error(), maxError)+"\n\nThe owner is the last controller that is known. If the account may "+
			"not read the controller, allow it to get this kind.")
}

// UnreadKinds warns about kinds of a member that could not be listed.
func UnreadKinds(diags *diag.Diagnostics, cluster string, unread []owners.Unread) {
	if len(unread) == 0 {
		return
	}
	text := &plain.Section{Title: "Not listed:", Unit: "kind"}
	for _, kind := range unread {
		where := ""
		if kind.Namespace != "" {
			where = " in namespace " + model.Name(kind.Namespace)
		}
		text.Add("  " + model.Name(kind.Kind) + where + ": " + model.Message(kind.Err.Error()))
	}
	diags.AddAttributeWarning(path.Root("cluster"), fmt.Sprintf("The list of objects on %q is incomplete", model.Name(cluster)), plain.Layout(text)+
		"\n\nAllow the account to list these kinds, or select other kinds with the arguments groups and kinds.")
}
