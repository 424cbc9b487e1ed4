package crp

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// ModifyPlan looks at the clusters and tells what an apply would do. What it finds there goes into warnings only: a value that is planned
// must still hold when it is applied. The only thing that it plans is that the status will be another one when something has to be done.
func (r *Resource) ModifyPlan(ctx context.Context, request resource.ModifyPlanRequest, response *resource.ModifyPlanResponse) {
	if request.Plan.Raw.IsNull() {
		return
	}
	var planned, prior model
	response.Diagnostics.Append(request.Plan.Get(ctx, &planned)...)
	creating := request.State.Raw.IsNull()
	if !creating {
		response.Diagnostics.Append(request.State.Get(ctx, &prior)...)
	}
	if response.Diagnostics.HasError() {
		return
	}
	// The framework makes the status unknown as soon as the configuration's text differs, also where plan modifiers then find that it
	// means the same.
	changing := creating || planned.differs(prior)
	if !changing {
		planned.Status = prior.Status
		response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root("status"), prior.Status)...)
	}
	if !planned.known(ctx) || r.session == nil || r.session.Engine == nil {
		if changing {
			response.Diagnostics.AddAttributeWarning(path.Root("name"), "Placement "+planned.Name.String()+": no preview",
				"Part of the configuration is known only after apply, so the clusters were not looked at. The apply looks at them before it writes.")
		}
		return
	}
	spec, manifests := planned.expand(ctx, &response.Diagnostics)
	wanted := engine.PlacementRequest{Name: planned.Name.ValueString(), Spec: spec, Manifests: manifests, Create: creating, ExpectMembers: creating}
	if !creating {
		wanted.Prior = prior.status(ctx, &response.Diagnostics)
		before, _ := prior.expand(ctx, &response.Diagnostics)
		for _, problem := range placement.ValidateChange(before, spec) {
			response.Diagnostics.AddAttributeError(report.Path(problem.Path), "Not a change that a placement allows", problem.String())
		}
	}
	report.Unsupported(&response.Diagnostics, r.session.Engine, wanted)
	if response.Diagnostics.HasError() {
		return
	}
	wanted.Expected = expectation(ctx, request.Config, &response.Diagnostics)
	pending := r.preview(ctx, wanted, planned, changing, &response.Diagnostics)
	if pending && !changing {
		response.Diagnostics.Append(response.Plan.SetAttribute(ctx, path.Root("status"), types.ObjectUnknown(attributeTypes(ctx, "status")))...)
	}
}

// preview looks at the clusters and reports. It returns whether an apply has anything to do.
func (r *Resource) preview(ctx context.Context, wanted engine.PlacementRequest, planned model, changing bool, diags *diag.Diagnostics) bool {
	incomplete := wanted.Prior != nil && report.NewShortfall(*wanted.Prior).Incomplete()
	if r.session.Preview == session.PreviewOff {
		return incomplete
	}
	preview, err := r.session.Engine.Preview(ctx, wanted)
	var silent *engine.UnreachableError
	switch {
	case errors.As(err, &silent) && r.session.Preview == session.PreviewAuto && wanted.Create:
		diags.AddAttributeWarning(path.Root("name"), "Placement "+planned.Name.String()+": no preview", err.Error())
		return true
	case err != nil:
		report.Error(diags, path.Root("name"), "The placement "+planned.Name.String()+" cannot be previewed", err)
		return true
	}
	r.session.Expect(preview)
	pending := preview.Pending() || incomplete
	if !changing && !pending {
		return false
	}
	strategy := *wanted.Spec.Defaulted().Strategy.ApplyStrategy
	report.Preview(diags, preview, strategy, planned.OnTakeoverConflict.ValueString() == "error")
	if r.session.Preview == session.PreviewRequired {
		report.Unlooked(diags, preview)
	}
	return pending
}

// expectation reads the preview that the user agreed to; nil for none. It is write-only, so that only the configuration has it.
func expectation(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) *engine.Expectation {
	var digest types.String
	at := path.Root("expected_preview")
	diags.Append(config.GetAttribute(ctx, at, &digest)...)
	if digest.IsNull() || digest.IsUnknown() {
		return nil
	}
	expected, err := engine.ParseExpectation(digest.ValueString())
	if err != nil {
		diags.AddAttributeError(at, "Not the digest of a preview", "The value cannot be read: "+err.Error()+".")
	}
	return expected
}

// expected is what an apply is held to: the preview that the user agreed to, or else the one that was made right before.
func (r *Resource) expected(ctx context.Context, name string, config tfsdk.Config, diags *diag.Diagnostics) *engine.Expectation {
	latest := r.session.Expected(name)
	if agreed := expectation(ctx, config, diags); agreed != nil {
		return agreed
	}
	return latest
}

func validateManifests(manifests map[string]string, diags *diag.Diagnostics) {
	for _, key := range slices.Sorted(maps.Keys(manifests)) {
		if _, err := manifest.Parse(key, manifests[key]); err != nil {
			diags.AddAttributeError(path.Root("manifests").AtMapKey(key), "Invalid manifest", err.Error())
		}
	}
}

// differs tells whether anything but the status is another than before.
func (m model) differs(prior model) bool {
	return !m.Name.Equal(prior.Name) || !m.ResourceSelectors.Equal(prior.ResourceSelectors) || !m.Manifests.Equal(prior.Manifests) ||
		!m.Policy.Equal(prior.Policy) || !m.Strategy.Equal(prior.Strategy) || !m.RevisionHistoryLimit.Equal(prior.RevisionHistoryLimit) ||
		!m.StatusReportingScope.Equal(prior.StatusReportingScope) || !m.OnTakeoverConflict.Equal(prior.OnTakeoverConflict) ||
		!m.Wait.Equal(prior.Wait) || !m.Timeouts.Equal(prior.Timeouts)
}
