package report

import (
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

// Unlisted adds an error about objects that could not be listed. plural is the noun for the objects, such as "placements".
func Unlisted(diags *diag.Diagnostics, plural string, err error) {
	title := fmt.Sprintf("The %s cannot be listed", plural)
	limitation, is := errors.AsType[*engine.LimitationError](err)
	if is && limitation.Path.String() != "label_selector" { // the path is an argument of a placement, which a list does not have
		diags.AddError(title, printable.Cut(limitation.Message, maxError))
		return
	}
	if is {
		Error(diags, path.Root("label_selector"), title, err)
		return
	}
	diags.AddError(title, explain(err))
}

// MissedInList warns about clusters that could not be read. The list lacks the objects that exist only on these clusters. plural is the noun for the objects.
func MissedInList(diags *diag.Diagnostics, plural string, missed []engine.MissedCluster) {
	for _, m := range missed {
		diags.AddWarning(fmt.Sprintf("The list of %s may be incomplete: the member %q could not be checked", plural, m.Cluster), explain(m.Err))
	}
}

// LeftOut returns a warning about an object that is not in a list because it could not be read.
func LeftOut(name string, why diag.Diagnostics) (out diag.Diagnostics) {
	text := &plain.Section{Unit: "line"}
	for _, d := range why.Errors() {
		text.Add(model.Name(d.Summary()) + ": " + printable.Cut(d.Detail(), maxError))
	}
	out.AddWarning(fmt.Sprintf("%q is left out of the list", name), plain.Layout(text))
	return out
}
