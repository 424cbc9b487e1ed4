package placementpreview

import (
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

type meaning struct {
	obstacle takeover.Obstacle
	text     string
}

// obstacleMeanings lists the obstacles in the order of takeover.Obstacle.Values.
var obstacleMeanings = []meaning{
	{takeover.ObstacleMode, "`when_to_take_over` is `Never`"},
	{takeover.ObstacleOwnerReferences, "the object has other owner references, and `allow_co_ownership` is not set or the object would be deleted"},
	{takeover.ObstacleForeignOwner, "another placement, KubeFleet or KubeAdmiral owns the object"},
	{takeover.ObstacleDifferences, "with `IfNoDiff`, the object differs; with `IfNotDrifted`, it has drifted"},
	{takeover.ObstacleDegradedDifferences, "as `differences`, but found by a comparison of all fields, because the API server rejected the object in a dry run"},
	{takeover.ObstacleNotCompared, "the comparison was skipped or failed"},
	{takeover.ObstacleNotAgreed, "the plan or the `expected_preview` does not show the action, for example because the object has changed since then"},
	{takeover.ObstacleBeingDeleted, "the deletion of the object is in progress"},
	{takeover.ObstacleNotServed, "the cluster does not serve the kind, or serves it in another scope"},
	{takeover.ObstacleNotReadable, "the object could not be read"},
	{takeover.ObstacleAdmission, "the API server rejects the write"},
	{takeover.ObstacleContents, "a deletion would also delete other objects"},
	{takeover.ObstacleOccupied, "the object contains objects of another placement, and the same run may remove that placement"},
	{takeover.ObstacleAdopted, "the object was taken over, or counts as taken over because its record was lost, and is therefore not deleted"},
	{takeover.ObstacleAbandoned, "`propagation_policy` is `Abandon`"},
	{takeover.ObstacleReplaced, "another client has recreated the object"},
	{takeover.ObstacleNotOwned, "the placement does not own the object, or no longer owns it"},
	{takeover.ObstacleLeft, "the cluster has left the fleet or is leaving it"},
}

// joinMeanings returns one sentence for each obstacle.
func joinMeanings(meanings []meaning) string {
	out := make([]string, len(meanings))
	for i, m := range meanings {
		out[i] = fmt.Sprintf("`%s`: %s.", m.obstacle, m.text)
	}
	return strings.Join(out, " ")
}
