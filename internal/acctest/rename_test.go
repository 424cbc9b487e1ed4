package acctest

import (
	"maps"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// A placement is renamed in place, even with create_before_destroy: a database, its Pod, its claim and its Service stay.
func TestRename(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	clusters.Need(t, fleet.Env)
	configuration := func(placement string) string {
		return database("renamed", placement, `placement_type = "PickAll"`, "create_before_destroy = true")
	}
	w := fleet.Open(t, fleet.Newest(t), "", configuration("renamed"))
	fleet.DestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	before := map[string]map[string]string{}
	for _, name := range fleet.Env.Members {
		before[name] = databaseUIDs(t, name, "renamed")
	}
	for _, step := range [][2]string{{"renamed", "renamed-2"}, {"renamed-2", "renamed-3"}, {"renamed-3", "renamed"}} {
		harness.Rewrite(t, w, configuration(step[1]))
		out := must(t, w, "plan", "-out=saved")
		contains(t, out, "will be updated in-place", "Placement "+step[0]+" is renamed to "+step[1]+": objects keep running, records and labels on 3 clusters")
		if strings.Contains(out, "REPLACED") || strings.Contains(out, "replace") {
			t.Errorf("the plan replaces the placement:\n%s", out)
		}
		must(t, w, "apply", "saved")
		contains(t, must(t, w, "plan"), "No changes.")
		for _, name := range fleet.Env.Members {
			if after := databaseUIDs(t, name, "renamed"); !maps.Equal(before[name], after) {
				t.Errorf("UIDs on %s were %v, now %v", name, before[name], after)
			}
			fleet.Absent(t, name, "v1", "ConfigMap", "fleet-system", "placement-"+step[0])
			fleet.Absent(t, name, "v1", "Secret", "fleet-system", "placement-"+step[0])
		}
	}
}
