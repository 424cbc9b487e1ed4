package workspace

import (
	"encoding/json"
	"testing"
)

// Report returns the report of the data source fleet_placement_preview in a saved plan, as documented for pull requests.
func Report(t *testing.T, w *Workspace, plan string) string {
	t.Helper()
	var shown struct {
		PriorState struct {
			Values struct {
				RootModule struct {
					Resources []struct {
						Type   string
						Values struct{ Report string }
					}
				} `json:"root_module"`
			}
		} `json:"prior_state"`
	}
	if err := json.Unmarshal([]byte(Must(t, w, "show", "-json", plan)), &shown); err != nil {
		t.Fatal(err)
	}
	for _, resource := range shown.PriorState.Values.RootModule.Resources {
		if resource.Type == "fleet_placement_preview" {
			return resource.Values.Report
		}
	}
	t.Fatalf("the plan %s has no report", plan)
	return ""
}
