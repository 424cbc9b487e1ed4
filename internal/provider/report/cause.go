package report

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

// MemberUnread warns of a member that a refresh could not read.
func MemberUnread(diags *diag.Diagnostics, name string, err error, first func(text string) bool) {
	text := plain.SameError
	if plain.IsFirstError([]string{name}, model.RootCause(err), first) {
		text = explain(err)
	}
	diags.AddAttributeWarning(path.Root("name"), "The member cluster \""+model.Name(name)+"\" could not be read", text)
}
