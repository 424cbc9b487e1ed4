package placementpreview

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

const notPlanned = "The data source sets only the name of the placement, so it shows the plan of its resource. No resource of this run had planned the placement when Terraform " +
	"read the data source. Set the name from the resource through a local value, so that Terraform plans the resource first. With a direct reference, or with depends_on " +
	"in the data source or in the call of its module, Terraform reads the data source only during the apply."

// previewPlanned returns the preview in the plan of a resource, or a result without a preview if no resource has planned the placement. A run that only
// refreshes plans no resource. In this case, previewPlanned previews the placement in the state. If the plan has checked no cluster because the preview is off,
// it checks the clusters.
func previewPlanned(ctx context.Context, shared *session.Session, of engine.Reference, diags *diag.Diagnostics) (*result, error) {
	planned, found := shared.PlannedPlacement(of.String())
	switch existing := shared.Replaced(of.String()); {
	case found && planned.Missing != "":
		return noPreview(of, planned.Missing), nil
	case !found && existing != nil:
		current := *existing
		current.Prior = nil
		placement.CompareWithPlanned(shared, current, false, diags)
		return previewChange(ctx, shared, current, diags)
	case !found:
		diags.AddAttributeWarning(path.Root("name"), "Placement "+of.String()+": no plan to show", notPlanned)
		return noPreview(of, notPlanned), nil
	}
	out := result{
		preview: planned.Preview, strategy: *planned.Spec.Defaulted().Strategy.ApplyStrategy, removal: planned.Removal, desired: planned.Placement,
		options: planned.Options,
	}
	if out.preview == nil {
		options := planned.Options
		options.World = shared.World()
		var err error
		if out.preview, err = shared.Engine.Preview(ctx, planned.Placement, options); err != nil {
			return nil, err
		}
		shared.Yield(out.preview, out.strategy)
	}
	out.digest = engine.Expect(out.preview).String()
	out.complete = func(r *result) {
		if r.removal != nil {
			r.preview = r.preview.After(r.removal.Preview)
		}
		r.preview = placement.MaskWriteOnly(r.preview, planned.WriteOnly)
	}
	out.complete(&out)
	return &out, nil
}

func noPreview(of engine.Reference, why string) *result {
	return &result{preview: &engine.Preview{Placement: of.String()}, missing: why}
}
