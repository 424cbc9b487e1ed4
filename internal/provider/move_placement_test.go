package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// TestMoveBetweenKinds checks that a placement cannot move to another kind, and that the error says how to keep the objects. The error is only for
// placements.
func TestMoveBetweenKinds(t *testing.T) {
	t.Parallel()
	server := newServer(t, fullEngine{})
	const address = "registry.terraform.io/terraform-fleet/fleet"
	for name, c := range map[string]struct{ from, provider, to, want string }{
		"into a namespace":      {"fleet_crp", address, "fleet_resource_placement", "restore the fleet_crp"},
		"out of a namespace":    {"fleet_resource_placement", address, "fleet_crp", "restore the fleet_resource_placement"},
		"no placement":          {"fleet_member_cluster", address, "fleet_crp", "does not include support"},
		"of another provider":   {"fleet_crp", "registry.terraform.io/other/other", "fleet_resource_placement", "does not include support"},
		"of another provider 2": {"kubernetes_manifest", "registry.terraform.io/hashicorp/kubernetes", "fleet_crp", "does not include support"},
	} {
		response, err := server.MoveResourceState(t.Context(), &tfprotov6.MoveResourceStateRequest{
			SourceProviderAddress: c.provider, SourceTypeName: c.from, TargetTypeName: c.to, SourceState: &tfprotov6.RawState{JSON: []byte(`{"name":"web"}`)},
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(response.Diagnostics) != 1 || !strings.Contains(response.Diagnostics[0].Detail, c.want) || response.TargetState != nil {
			t.Errorf("%s: %+v", name, response.Diagnostics)
		}
	}
}
