package convert

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Path turns the domain's path into the framework's.
func Path(in placement.Path) path.Path {
	var out path.Path
	for i, step := range in {
		switch {
		case i == 0:
			out = path.Root(step.Attribute)
		case step.Attribute != "":
			out = out.AtName(step.Attribute)
		case step.Key != nil:
			out = out.AtMapKey(*step.Key)
		default:
			out = out.AtListIndex(step.Index)
		}
	}
	return out
}

// Problems adds an error for each rule that is broken, at the attribute that breaks it.
func Problems(diags *diag.Diagnostics, summary string, problems []placement.Problem) {
	for _, problem := range problems {
		diags.AddAttributeError(Path(problem.Path), summary, problem.String())
	}
}
