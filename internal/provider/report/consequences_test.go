package report

import (
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// TestConsequencesOnUncheckedCluster checks that a plan names the clusters that it could not check.
func TestConsequencesOnUncheckedCluster(t *testing.T) {
	t.Parallel()
	found := []engine.Consequence{{Placement: "app", Preview: &engine.Preview{Clusters: []engine.ClusterPreview{
		{Name: "member-1", Picked: true}, {Name: "member-2", Picked: true, Err: errors.New("it does not answer")},
	}}}}
	for _, required := range []bool{false, true} {
		var diags diag.Diagnostics
		Consequences(&diags, "envelope app/a", found, required)
		if len(diags) != 1 || diags.HasError() != required || diags[0].Summary() != "The hub acts on envelope app/a immediately: 1 cluster not checked" ||
			!strings.Contains(diags[0].Detail(), "Placement \"app\":\n  NOT CHECKED: member-2: it does not answer") {
			t.Errorf("required %v: %v", required, diags)
		}
	}
}
