package convert

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Root returns the attribute of the resource that a path of the domain begins with. A diagnostic has this attribute as its path, and the whole path in its
// text. Terraform shows a diagnostic at the first step of its path and searches there for the last step. With the whole path, it would show a name deep in a
// policy as the name of the resource.
func Root(in placement.Path) path.Path {
	if len(in) == 0 {
		return path.Empty()
	}
	return path.Root(in[0].Attribute)
}

// First returns the attribute of the resource that a path of the framework begins with.
func First(in path.Path) path.Path {
	first, _ := in.Steps().NextStep()
	if name, ok := first.(path.PathStepAttributeName); ok {
		return path.Root(string(name))
	}
	return in
}

// PathText formats a path of the protocol as users write it: policy.cluster_names[1], members["a"].
func PathText(in *tftypes.AttributePath) string {
	var b strings.Builder
	for _, step := range in.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			b.WriteString("." + string(step))
		case tftypes.ElementKeyString:
			fmt.Fprintf(&b, "[%q]", string(step))
		case tftypes.ElementKeyInt:
			fmt.Fprintf(&b, "[%d]", int64(step))
		case tftypes.ElementKeyValue:
			b.WriteString("[...]")
		}
	}
	return strings.TrimPrefix(b.String(), ".")
}

// Problems adds an error or a warning for each broken rule, at the attribute of the resource. The text of the diagnostic has the whole path.
func Problems(diags *diag.Diagnostics, summary string, problems []placement.Problem) {
	for _, problem := range problems {
		if problem.Warning {
			diags.AddAttributeWarning(Root(problem.Path), "Likely mistake in "+problem.Path.String(), problem.Message+".")
			continue
		}
		diags.AddAttributeError(Root(problem.Path), summary, problem.String())
	}
}
