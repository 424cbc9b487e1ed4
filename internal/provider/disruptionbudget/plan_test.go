package disruptionbudget

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// pickAllEngine is an engine whose placements are of the type PickAll.
type pickAllEngine struct{ engine.Engine }

func (pickAllEngine) ReadPlacement(context.Context, engine.Placement) (*engine.Recorded, error) {
	return &engine.Recorded{Complete: true}, nil
}

// TestPlannedPlacement checks that the placement in the same plan decides whether a budget fits. The placement on the hub causes only a warning.
func TestPlannedPlacement(t *testing.T) {
	budget := model{PlacementName: types.StringValue("web"), MaxUnavailable: types.StringValue("1")}
	for name, c := range map[string]struct {
		planned          *placement.PlacementType
		errors, warnings int
	}{
		"not planned":        {nil, 0, 1},
		"planned as PickN":   {new(placement.PickN), 0, 0},
		"planned as PickAll": {new(placement.PickAll), 1, 0},
		"not known yet":      {new(placement.PlacementType("")), 0, 0},
	} {
		shared := &session.Session{Engine: pickAllEngine{}}
		if c.planned != nil {
			shared.PlanPlacementType("web", *c.planned)
		}
		var diags diag.Diagnostics
		checkUse(t.Context(), shared, budget, &diags)
		if diags.ErrorsCount() != c.errors || diags.WarningsCount() != c.warnings {
			t.Errorf("%s: %v", name, diags)
		}
	}
}
