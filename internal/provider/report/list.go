package report

import (
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// Unlisted tells that nothing of what was asked for could be listed: "placements".
func Unlisted(diags *diag.Diagnostics, of string, err error) {
	title := fmt.Sprintf("The %s cannot be listed", of)
	limitation, is := errors.AsType[*engine.LimitationError](err)
	if is && limitation.Path.String() != "label_selector" { // the argument is a placement's, and a list has none
		diags.AddError(title, plain(limitation.Message, maxError))
		return
	}
	if is {
		Error(diags, path.Root("label_selector"), title, err)
		return
	}
	diags.AddError(title, explain(err))
}

// MissedInList tells of clusters that could not be asked: what they alone have is not in the list.
func MissedInList(diags *diag.Diagnostics, of string, missed []engine.MissedCluster) {
	for _, m := range missed {
		diags.AddWarning(fmt.Sprintf("The list of %s may lack some: the member %q could not be checked", of, m.Cluster), explain(m.Err))
	}
}

// LeftOut tells of a thing that is in a fleet and not in a list of it, because it could not be read.
func LeftOut(name string, why diag.Diagnostics) (out diag.Diagnostics) {
	text := &section{what: "line"}
	for _, d := range why.Errors() {
		text.add(plain(d.Summary(), maxName) + ": " + plain(d.Detail(), maxError))
	}
	out.AddWarning(fmt.Sprintf("%q is left out of the list", name), layout([]*section{text}))
	return out
}
