package placement

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// CompareWithPlanned warns if a data source has previewed a placement that differs from the plan of its resource. If the resource is planned later,
// its plan warns. replaces reports whether the preview shows a replacement.
func CompareWithPlanned(shared *session.Session, previewed engine.Placement, replaces bool, diags *diag.Diagnostics) {
	shared.Previewed(previewed, replaces)
	if planned, found := shared.PlannedPlacement(previewed.String()); found {
		compare(planned, previewed, replaces, diags)
	}
}

func compare(planned session.PlannedPlacement, previewed engine.Placement, replaces bool, diags *diag.Diagnostics) {
	if planned.Missing == "" {
		report.Disagreement(diags, previewed.String(), diffArguments(previewed, planned.Placement), planned.Removal != nil && !replaces)
	}
}

// recordPlan records the plan of the placement. It warns if a data source has previewed a placement that differs from this plan.
func (m Model) recordPlan(shared *session.Session, planned session.PlannedPlacement, diags *diag.Diagnostics) {
	shared.PlanPlacement(planned)
	planned, _ = shared.PlannedPlacement(m.key())
	if previewed, replaces, found := shared.PreviewOf(m.key()); found {
		compare(planned, previewed, replaces, diags)
	}
}

// diffArguments returns the names of the arguments that differ. It ignores manifests_wo, which data sources do not have.
func diffArguments(a, b engine.Placement) []string {
	var out []string
	for _, argument := range []struct {
		name  string
		equal bool
	}{
		{"resource_selectors", len(a.Spec.ResourceSelectors)+len(b.Spec.ResourceSelectors) == 0 || equalJSON(a.Spec.ResourceSelectors, b.Spec.ResourceSelectors)},
		{"manifests", maps.EqualFunc(a.Manifests, b.Manifests, manifest.Equivalent)},
		{"ignore_fields", len(a.IgnoreFields)+len(b.IgnoreFields) == 0 || equalJSON(a.IgnoreFields, b.IgnoreFields)},
		{"policy", equalJSON(a.Spec.Defaulted().Policy, b.Spec.Defaulted().Policy)},
		{"strategy", equalJSON(a.Spec.Defaulted().Strategy, b.Spec.Defaulted().Strategy)},
		{takesOverFrom + " or " + takesOverFromRemoved, slices.Equal(a.TakesOverFrom, b.TakesOverFrom)},
	} {
		if !argument.equal {
			out = append(out, argument.name)
		}
	}
	return out
}

func equalJSON(a, b any) bool {
	textA, errA := json.Marshal(a)
	textB, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(textA, textB)
}
