package placementpreview

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// result is what an apply of the placement would do.
type result struct {
	// preview has the objects without those from manifests_wo that the data source does not have.
	preview  *engine.Preview
	strategy placement.ApplyStrategy
	// replaces is why the apply removes the placement first; "" if it does not. The preview then has the removal, too.
	replaces report.Replaces
	// unchecked are the objects from manifests_wo on each cluster that the preview does not have.
	unchecked writeOnlyObjects
	digest    string
	// missing is why there is no preview; "" if there is one.
	missing string
}

// previewChange previews the change of the placement if it exists, and its creation otherwise.
func previewChange(ctx context.Context, shared *session.Session, wanted engine.Placement, diags *diag.Diagnostics) (*result, error) {
	fleet, options := shared.Engine, engine.PreviewOptions{World: shared.World(), Takers: shared.ReadTakers(wanted.String())}
	recorded := readRecorded(ctx, fleet, wanted, diags)
	out := result{strategy: *wanted.Spec.Defaulted().Strategy.ApplyStrategy}
	var removal *engine.Preview
	if recorded != nil {
		wanted.WriteOnly = stillWriteOnly(recorded.WriteOnly, wanted.Manifests)
		if recorded.Complete && !engine.CanChangeType(fleet, placementType(recorded.Spec), placementType(wanted.Spec)) {
			out.replaces = report.Retyped
		}
		wanted.Prior = &recorded.Status
	}
	switch {
	case out.replaces != "":
		wanted.Prior = nil
		options.Replaces = &engine.Placement{
			Reference: wanted.Reference, ID: recorded.ID, Spec: recorded.Spec, Manifests: recorded.Manifests, Prior: &recorded.Status,
		}
		var err error
		if removal, err = fleet.PreviewDelete(ctx, *options.Replaces, engine.DeleteOptions{Run: shared.Removal(wanted.String(), nil), Takers: options.Takers}); err != nil {
			return nil, err
		}
	case recorded != nil && recorded.Complete:
		report.Immutable(diags, "a placement", fleet.CheckChange(recorded.Spec, wanted.Spec))
	}
	preview, err := fleet.Preview(ctx, wanted, options)
	if err != nil {
		return nil, err
	}
	shared.ReadTakeover(wanted.String(), wanted.TakesOverFrom, preview)
	shared.Yield(preview, out.strategy)
	out.unchecked = writeOnlyObjects{}
	if recorded != nil { // the preview shows their deletion, because it lacks their manifests
		out.unchecked.take(preview, withoutManifest(recorded.WriteOnlyObjects, wanted))
	}
	out.digest = engine.Expect(preview).String()
	out.unchecked.take(preview, engine.IsFrom(wanted.WriteOnly))
	if out.preview = preview; removal != nil {
		out.preview = preview.After(removal)
	}
	return &out, nil
}

func placementType(spec placement.Spec) placement.PlacementType {
	return spec.Defaulted().Policy.PlacementType
}

// readRecorded returns the recorded placement, or nil if there is none. If a cluster that may have a record is unreachable, the placement is
// previewed as a new one.
func readRecorded(ctx context.Context, fleet engine.Engine, wanted engine.Placement, diags *diag.Diagnostics) *engine.Recorded {
	recorded, err := fleet.ReadPlacement(ctx, wanted)
	if err == nil {
		return recorded
	}
	if !errors.Is(err, engine.ErrNotFound) {
		diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("It is not known whether a placement %q exists already", wanted),
			"It is previewed as a new one. "+err.Error())
	}
	return nil
}
