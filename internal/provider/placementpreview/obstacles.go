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
	{takeover.ObstacleOwnerReferences, "the object has owner references, and `allow_co_ownership` is not set"},
	{takeover.ObstacleForeignOwner, "another placement, KubeFleet or KubeAdmiral owns the object"},
	{takeover.ObstacleDifferences, "the object differs, with `IfNoDiff`, or has drifted, with `IfNotDrifted`"},
	{takeover.ObstacleDegradedDifferences, "as `differences`, found by a comparison of all fields because the API server rejected the object in a dry run"},
	{takeover.ObstacleNotCompared, "the comparison was skipped or failed"},
	{takeover.ObstacleNotAgreed, "the object has changed since the plan or the `expected_preview`"},
	{takeover.ObstacleBeingDeleted, "the deletion of the object is in progress"},
	{takeover.ObstacleNotServed, "the cluster does not serve the kind, or serves it in another scope"},
	{takeover.ObstacleNotReadable, "the object could not be read"},
	{takeover.ObstacleAdmission, "the API server rejects the write"},
	{takeover.ObstacleContents, "a deletion would also delete other objects"},
	{takeover.ObstacleOccupied, "the object contains objects of another placement, which the same run may remove"},
	{takeover.ObstacleAdopted, "the placement took the object over and therefore does not delete it"},
	{takeover.ObstacleAbandoned, "`propagation_policy` is `Abandon`"},
	{takeover.ObstacleReplaced, "another client has recreated the object"},
	{takeover.ObstacleNotOwned, "the placement no longer owns the object"},
	{takeover.ObstacleLeft, "the cluster has left the fleet"},
}

func joinMeanings(meanings []meaning) string {
	out := make([]string, len(meanings))
	for i, m := range meanings {
		out[i] = fmt.Sprintf("`%s` (%s)", m.obstacle, m.text)
	}
	return strings.Join(out, ", ")
}
