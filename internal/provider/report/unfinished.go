package report

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Unfinished tells by a status whether an apply is left to do: an object could not be written or has been changed since, a cluster was not come to or, if the apply
// is to wait for that, an object is not available. What the mode leaves alone is as the user asked for.
func Unfinished(status placement.Status, waits bool) bool {
	for _, cluster := range status.Clusters {
		if cluster.Pending() {
			return true
		}
		for _, conditionType := range []string{placement.RolloutStarted, placement.Overridden} {
			if c, found := cluster.Condition(conditionType); found && c.Status == placement.False {
				return true
			}
		}
		for _, failed := range cluster.FailedPlacements {
			switch failed.Condition.Type {
			case placement.Available:
				if waits {
					return true
				}
			case placement.Applied:
				if !left(failed.Condition.Reason) {
					return true
				}
			}
		}
	}
	return false
}

// left tells whether a reason is that of an object which the strategy leaves as it is.
func left(reason string) bool {
	switch reason {
	case takeover.ReasonNotTakenOver, takeover.ReasonFailedToTakeOver, takeover.ReasonFoundDrifts, takeover.ReasonFoundDriftsInDegradedMode:
		return true
	}
	return false
}
