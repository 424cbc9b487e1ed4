package placement

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// failing returns a status in which a number of objects failed on each of a number of clusters. The last object of each cluster has another reason.
func failing(clusters, objects int) Status {
	out := Status{Clusters: map[string]ClusterStatus{}}
	for c := range clusters {
		status := ClusterStatus{Conditions: []Condition{{Type: Applied, Status: False, Reason: "ApplyFailed"}}}
		for o := range objects {
			id := manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "web", Name: fmt.Sprintf("settings-%03d", o)}
			reason := "ManifestApplyFailed"
			if o == objects-1 {
				reason = "NotTakenOver"
			}
			status.FailedPlacements = append(status.FailedPlacements, FailedPlacement{id, Condition{Type: Applied, Status: False, Reason: reason}})
			status.DriftedPlacements = append(status.DriftedPlacements, DriftedPlacement{Identifier: id})
			status.DiffedPlacements = append(status.DiffedPlacements, DiffedPlacement{Identifier: id})
		}
		out.Clusters[fmt.Sprintf("member-%03d", c)] = status
		out.SelectedResources = append(out.SelectedResources, manifest.Identifier{Name: fmt.Sprint(c)})
	}
	return out
}

// TestRemembered checks that the stored part does not grow with the number of failed objects and omits no reason.
func TestRemembered(t *testing.T) {
	size := func(s Status) int {
		text, err := json.Marshal(s.Remembered())
		if err != nil {
			t.Fatal(err)
		}
		return len(text)
	}
	if few, many := size(failing(100, 10)), size(failing(100, 100)); many > few+few/100 {
		t.Errorf("%d bytes of 100 objects, %d of 10", many, few)
	}
	for name, cluster := range failing(100, 100).Remembered().Clusters {
		reasons := map[string]int{}
		for _, f := range cluster.FailedPlacements {
			reasons[f.Condition.Reason]++
		}
		if reasons["ManifestApplyFailed"] != 9 || reasons["NotTakenOver"] != 1 || len(cluster.DriftedPlacements) != 10 || len(cluster.DiffedPlacements) != 10 {
			t.Errorf("%s: %v, %d drifted, %d differ", name, reasons, len(cluster.DriftedPlacements), len(cluster.DiffedPlacements))
		}
	}
	if all := failing(3, 100); len(all.Remembered().Clusters["member-000"].FailedPlacements) != 100 {
		t.Error("a small status is changed")
	}
}
