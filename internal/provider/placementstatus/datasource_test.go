package placementstatus

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// memberEngine is an engine without a hub. It finds no placement.
type memberEngine struct {
	engine.Engine
	limitations []engine.Limitation
}

func (f memberEngine) CheckPlacement(engine.Placement) []engine.Limitation { return f.limitations }

func (memberEngine) ReadPlacement(context.Context, engine.Placement) (*engine.Recorded, error) {
	return nil, engine.ErrNotFound
}

// hubEngine is an engine for a hub. It finds no placement.
type hubEngine struct {
	memberEngine
	engine.Consequences
}

// TestNotFound checks that the advice about a missing placement names the arguments of the configured engine.
func TestNotFound(t *testing.T) {
	limitations := []engine.Limitation{{Path: domain.At("resource_selectors"), Message: "m"}, {Path: domain.At("namespace"), Message: "No namespaces."}}
	for name, tt := range map[string]struct {
		fleet     engine.Engine
		namespace types.String
		want      string
	}{
		"members":             {memberEngine{limitations: limitations[:1]}, types.StringNull(), `There is no placement "typo": No member has a record of it. Check the name and the provider's "members". If this configuration creates the placement, create it first: depends_on = [fleet_crp.NAME].`},
		"members, namespaced": {memberEngine{limitations: limitations}, types.StringValue("shop"), "Not supported by this engine: namespace: No namespaces."},
		"hub":                 {hubEngine{}, types.StringNull(), `There is no placement "typo": The hub has no cluster-scoped placement of that name. Check the name and the provider's "hub". If this configuration creates the placement, create it first: depends_on = [fleet_crp.NAME].`},
		"hub, namespaced":     {hubEngine{}, types.StringValue("shop"), `There is no placement "shop/typo": The hub has no placement of that name in that namespace. Check the name, the namespace and the provider's "hub". If this configuration creates the placement, create it first: depends_on = [fleet_resource_placement.NAME].`},
	} {
		t.Run(name, func(t *testing.T) {
			var diags diag.Diagnostics
			recorded := model{Name: types.StringValue("typo"), Namespace: tt.namespace}.read(t.Context(), tt.fleet, &diags)
			var got []string
			for _, d := range diags {
				got = append(got, d.Summary()+": "+d.Detail())
			}
			if recorded != nil || strings.Join(got, "\n") != tt.want {
				t.Errorf("got %v, %q", recorded, got)
			}
		})
	}
}
