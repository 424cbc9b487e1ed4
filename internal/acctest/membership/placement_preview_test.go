package membership

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/cli"
)

// Without an apply, a plan has the report among its outputs: a first plan, and one that adds a member. The report describes the planned fleet.
func TestPlacementPreviewOfPlannedMembers(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	for _, binary := range fleet.EveryCLI(t) {
		t.Run(binary.String(), func(t *testing.T) { previewPlannedMembers(t, binary) })
	}
}

func previewPlannedMembers(t *testing.T, binary cli.Binary) {
	t.Helper()
	fleet.PutExample(t, "placement-preview")
	w := fleet.Open(t, binary, "examples/placement-preview", "")
	fleet.MustDestroyAtEnd(t, w)
	file := filepath.Join(w.Dir, "main.tf")
	all, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	reported := func() string {
		t.Helper()
		must(t, w, "plan", "-out=tfplan")
		text, err := w.Run(t.Context(), nil, "show", "-no-color", "-json", "tfplan")
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		var plan struct {
			PlannedValues struct {
				Outputs map[string]struct{ Value any }
			} `json:"planned_values"`
		}
		if err := json.Unmarshal([]byte(text), &plan); err != nil {
			t.Fatal(err)
		}
		report, _ := plan.PlannedValues.Outputs["preview_report"].Value.(string)
		return report
	}
	const conflict = "1 conflict on `member-2` not taken over, 2 existing objects on `member-2` to take over, 6 to create"
	if err := os.WriteFile(file, []byte(strings.Replace(string(all), `for_each = toset(local.members)`, `for_each = toset(["member-1"])`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	contains(t, reported(), "### Placement `web-3-crp` (1 cluster): 3 to create", "3 to create, after joining the fleet", "no fleet_member_cluster registers it")
	must(t, w, "apply", "tfplan")
	if err := os.WriteFile(file, all, 0o600); err != nil {
		t.Fatal(err)
	}
	contains(t, reported(), conflict, "| `member-3` | yes | `picked by scheduling policy` | 3 to create, after joining the fleet |")
	must(t, w, "apply", "tfplan")
	contains(t, reported(), conflict, "| `member-1`, `member-3` | yes | `picked by scheduling policy` | 3 to create |")
}
