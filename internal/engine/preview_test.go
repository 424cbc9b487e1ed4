package engine

import (
	"slices"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// An apply has something to do where it writes, and where it tries to though the API server would not have it now.
func TestPending(t *testing.T) {
	writes := []takeover.Action{
		takeover.ActionCreate, takeover.ActionUpdate, takeover.ActionTakeOver, takeover.ActionPrune, takeover.ActionOrphan, takeover.ActionUnknown,
	}
	tried := []takeover.Obstacle{
		takeover.ObstacleAdmission, takeover.ObstacleBeingDeleted, takeover.ObstacleOwnerReferences, takeover.ObstacleForeignOwner,
	}
	for _, value := range takeover.Action("").Values() {
		action := takeover.Action(value)
		for _, value := range append(takeover.Obstacle("").Values(), "") {
			obstacle := takeover.Obstacle(value)
			object := ObjectPreview{Action: action, Obstacle: obstacle}
			want := slices.Contains(writes, action) || action == takeover.ActionReject && slices.Contains(tried, obstacle)
			preview := &Preview{Clusters: []ClusterPreview{{Name: "member-1"}, {Name: "member-2", Objects: []ObjectPreview{object}}}}
			if object.Pending() != want || preview.Pending() != want {
				t.Errorf("%s, obstacle %q: pending is %t for the object and %t for the preview, want %t", action, obstacle, object.Pending(),
					preview.Pending(), want)
			}
		}
	}
	if resumed := (&Preview{Clusters: []ClusterPreview{{Resume: true}}}); !resumed.Pending() {
		t.Error("an apply that did not finish is not pending")
	}
}

func TestConflict(t *testing.T) {
	conflicts := []takeover.Action{takeover.ActionTakeOver, takeover.ActionLeaveAlone, takeover.ActionLeaveDrifted, takeover.ActionReject}
	for _, value := range takeover.Action("").Values() {
		action := takeover.Action(value)
		if got := (ObjectPreview{Action: action}).Conflict(); got != slices.Contains(conflicts, action) {
			t.Errorf("%s: %t", action, got)
		}
	}
}
