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

type result struct {
	// preview omits the objects in unchecked.
	preview  *engine.Preview
	strategy placement.ApplyStrategy
	// unchecked are the objects from manifests_wo, by cluster. There are none if the preview is that of a resource's plan, because the resource has the manifests.
	unchecked writeOnlyObjects
	digest    string
	// missing is the reason why there is no preview, or "".
	missing string
	// removal is the planned removal of the placement in a replacement, or nil. If it is set, preview also contains the deletions of the removal.
	removal *session.PlannedRemoval
	// desired and options are the arguments of the engine's preview. complete changes the engine's result to the result of the data source. desired, options
	// and complete are not set if there is no preview.
	desired  engine.Placement
	options  engine.PreviewOptions
	complete func(*result)
	// assumed are the assumptions under which the preview is made. moves compares the picks with those of a preview without assumptions.
	assumed []report.Assumption
	moves   report.Moves
}

// replaces returns the reason why the apply removes the placement first, or "" if it does not.
func (r *result) replaces() report.Replaces {
	if r.removal == nil {
		return ""
	}
	return r.removal.Why
}

// previewChange previews the change of a placement. It previews a creation if the placement does not exist, and a removal and a creation if the engine cannot
// change the placement type in place.
func previewChange(ctx context.Context, shared *session.Session, desired engine.Placement, diags *diag.Diagnostics) (*result, error) {
	fleet, options := shared.Engine, engine.PreviewOptions{World: shared.World(), Takers: shared.ReadTakers(desired.String())}
	recorded := readRecorded(ctx, fleet, desired, diags)
	out := result{strategy: *desired.Spec.Defaulted().Strategy.ApplyStrategy}
	isComplete := recorded != nil && recorded.Complete
	if recorded != nil {
		desired.WriteOnly = filterWriteOnly(recorded.WriteOnly, desired.Manifests)
		desired.Prior = &recorded.Status
	}
	switch {
	case isComplete && !engine.CanChangeType(fleet, placementType(recorded.Spec), placementType(desired.Spec)):
		desired.Prior = nil
		options.Replaces = &engine.Placement{
			Reference: desired.Reference, ID: recorded.ID, Spec: recorded.Spec, Manifests: recorded.Manifests, Prior: &recorded.Status,
		}
		options.Run = shared.Replacement(desired.String())
		out.removal = &session.PlannedRemoval{Placement: *options.Replaces, Options: engine.DeleteOptions{Run: options.Run, Takers: options.Takers}, Why: report.Retyped}
		var err error
		if out.removal.Preview, err = fleet.PreviewDelete(ctx, out.removal.Placement, out.removal.Options); err != nil {
			return nil, err
		}
	case isComplete:
		report.Immutable(diags, "a placement", fleet.CheckChange(recorded.Spec, desired.Spec))
	}
	preview, err := fleet.Preview(ctx, desired, options)
	if err != nil {
		return nil, err
	}
	shared.ReadTakeover(desired.String(), desired.TakesOverFrom, preview)
	shared.Yield(preview, out.strategy)
	out.preview, out.desired, out.options = preview, desired, options
	out.complete = func(r *result) {
		r.unchecked = writeOnlyObjects{}
		if recorded != nil { // the preview shows the deletion of these objects, because it does not have their manifests
			r.unchecked.extract(r.preview, withoutManifest(recorded.WriteOnlyObjects, desired))
		}
		r.digest = engine.Expect(r.preview).String()
		r.unchecked.extract(r.preview, engine.IsFrom(desired.WriteOnly))
		if r.removal != nil {
			r.preview = r.preview.After(r.removal.Preview)
		}
	}
	out.complete(&out)
	return &out, nil
}

func placementType(spec placement.Spec) placement.PlacementType {
	return spec.Defaulted().Policy.PlacementType
}

// readRecorded returns the recorded placement, or nil if there is none. If it cannot be read, for example because a cluster is unreachable,
// readRecorded adds a warning and returns nil: the placement is previewed as a new one.
func readRecorded(ctx context.Context, fleet engine.Engine, desired engine.Placement, diags *diag.Diagnostics) *engine.Recorded {
	recorded, err := fleet.ReadPlacement(ctx, desired)
	if err == nil {
		return recorded
	}
	if !errors.Is(err, engine.ErrNotFound) {
		diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("Unknown whether the placement %q already exists", desired),
			"It is previewed as a new one. "+err.Error())
	}
	return nil
}
