package engine

import (
	"slices"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestPending checks for which objects an apply is pending: objects that it writes or deletes, objects whose deletion is deferred, and objects that it tries to
// write although the API server would reject them now.
func TestPending(t *testing.T) {
	writes := []takeover.Action{
		takeover.ActionCreate, takeover.ActionUpdate, takeover.ActionReplace, takeover.ActionTakeOver, takeover.ActionPrune, takeover.ActionOrphan,
		takeover.ActionTakeOverFrom, takeover.ActionUnknown,
		takeover.ActionDefer, // until a preview has shown the deletion
	}
	tried := []takeover.Obstacle{
		takeover.ObstacleAdmission, takeover.ObstacleBeingDeleted, takeover.ObstacleOwnerReferences, takeover.ObstacleForeignOwner,
	}
	for _, action := range takeover.Action("").Values() {
		for _, obstacle := range append(takeover.Obstacle("").Values(), "") {
			object := ObjectPreview{Action: takeover.Action(action), Obstacle: takeover.Obstacle(obstacle)}
			want := slices.Contains(writes, object.Action) || object.Action == takeover.ActionReject && slices.Contains(tried, object.Obstacle)
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
	conflicts := []takeover.Action{takeover.ActionTakeOver, takeover.ActionLeaveAlone, takeover.ActionReject}
	for _, action := range takeover.Action("").Values() {
		object := ObjectPreview{Action: takeover.Action(action)}
		if got := object.Conflict(); got != slices.Contains(conflicts, object.Action) {
			t.Errorf("%s: %t", action, got)
		}
	}
}
