package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/membercluster"
)

// A change of a registration leaves the status as it is, but for the conditions of a cluster that did not answer.
func TestMemberStatusIsKept(t *testing.T) {
	var described resource.SchemaResponse
	membercluster.New().Schema(t.Context(), resource.SchemaRequest{}, &described)
	for name, c := range map[string]struct {
		at, value, health     string
		uid                   string
		uidKnown, healthKnown bool
	}{
		"a label":                        {".labels." + word, "other", "True", word, true, true},
		"a label of one that is off":     {".labels." + word, "other", "False: Unreachable", word, true, false},
		"a label on a hub":               {".labels." + word, "other", "True", "", true, true},
		"a label of one that never came": {".labels." + word, "other", "False: Unreachable", "", false, false},
		"the name":                       {".name", "other", "True", word, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			conditions := map[string]tftypes.Value{
				"Joined": tftypes.NewValue(tftypes.String, "True"), "Healthy": tftypes.NewValue(tftypes.String, c.health),
			}
			prior := edited(t, completeRaw(t, described.Schema), ".status.conditions", conditions)
			prior = edited(t, prior, ".status.cluster_uid", c.uid)
			config := edited(t, edited(t, prior, ".status", nil), c.at, c.value)
			planned := plan(t, "fleet_member_cluster", prior, edited(t, prior, c.at, c.value), config)
			status := attributeOf(t, planned, "status")
			uid := status.IsKnown() && attributeOf(t, status, "cluster_uid").IsKnown()
			health := status.IsFullyKnown()
			if uid != c.uidKnown || health != c.healthKnown {
				t.Errorf("the planned status is %s", status)
			}
		})
	}
}
