package predict

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// isAvailable reports whether the rollout counts the cluster as available: its objects are available, or its differences are reported (KubeFleet,
// pkg/controllers/rollout: isBindingReady). If the availability of an object cannot be tracked, the rollout waits for the unavailable period first. isAvailable
// ignores this period.
func (c *Cluster) isAvailable() bool {
	return c.binding != nil && c.binding.DeletionTimestamp == nil &&
		(c.hasCondition(placement.Available, metav1.ConditionTrue) || c.hasCondition(placement.DiffReported, metav1.ConditionTrue))
}

// isOccupied reports whether the cluster counts for max_surge. A cluster that has failed, or whose binding is being deleted, does not count. A cluster that the
// scheduler has picked does not count until the rollout has reached it. With the strategy type ReportDiff, a cluster does not count after its agent has
// reported (KubeFleet, pkg/utils/binding: IsBindingDiffReported). A change to another type invalidates the report.
func (c *Cluster) isOccupied() bool {
	return c.binding != nil && c.binding.DeletionTimestamp == nil && c.binding.Spec.State != wire.BindingStateScheduled && !c.hasFailed() &&
		(!c.prediction.reports() || c.condition(placement.DiffReported) == nil)
}

// hasFailed reports whether the cluster counts as failed in the rollout (KubeFleet, pkg/utils/binding: HasBindingFailed). The rollout updates a failed cluster
// immediately, even if too many clusters are unavailable, and does not count it for max_surge.
func (c *Cluster) hasFailed() bool {
	for _, stage := range []string{placement.Overridden, placement.WorkSynchronized, placement.Applied, placement.Available} {
		if at := c.condition(stage); at != nil && at.Status == metav1.ConditionFalse && !slices.Contains(inProgressReasons, at.Reason) {
			return true
		}
	}
	return false
}

// inProgressReasons are the reasons with which a condition is False although the cluster has not failed.
var inProgressReasons = []string{"OverriddenPending", "WorkNotSynchronizedYet", "ApplyPending", "ResourceNotAvailableYet"}

// unavailable returns the reason why the cluster does not count as available. The cluster must have a binding.
func (c *Cluster) unavailable() string {
	if failed := c.binding.Status.FailedPlacements; len(failed) > 0 {
		text := fmt.Sprintf("%s: %s", convert.Identifier(failed[0].ResourceIdentifier), failed[0].Condition.Reason)
		if more := len(failed) - 1; more > 0 {
			text += fmt.Sprintf(", and %d more", more)
		}
		return text
	}
	for _, stage := range []string{placement.Overridden, placement.WorkSynchronized, placement.Applied, placement.Available, placement.DiffReported} {
		if at := c.condition(stage); at != nil && at.Status != metav1.ConditionTrue {
			return fmt.Sprintf("%s is %s (%s)", at.Type, at.Status, at.Reason)
		}
	}
	return "its agent has not reported yet"
}

// Item returns the prediction for an object that is placed on a cluster, or nil if there is none.
func (p *Prediction) Item(cluster string, object manifest.Key) *memberpreview.Object {
	if c := p.Cluster(cluster); c != nil {
		return c.items[object]
	}
	return nil
}

// Rejects reports whether the prediction contains the rejection that the hub reports for an object, with the same reason.
func (p *Prediction) Rejects(cluster string, failed placement.FailedPlacement) bool {
	item := p.Item(cluster, failed.Key())
	return item != nil && item.Action == takeover.ActionReject && failed.Condition.Type == placement.Applied && failed.Condition.Reason == item.Reason
}

// obstacle returns the reason why the cluster does not become available with the new content, or "" if there is none.
func (c *Cluster) obstacle() string {
	if c.OverrideErr != nil {
		return placement.Overridden + " is False (OverriddenFailed)"
	}
	var failing []string
	for _, o := range c.Items {
		if o.Action == takeover.ActionReject || o.Action.Leaves() {
			failing = append(failing, fmt.Sprintf("%s: %s", o.Identifier, o.Reason))
		}
	}
	if len(failing) == 0 {
		return ""
	}
	if more := len(failing) - 1; more > 0 {
		return fmt.Sprintf("%s, and %d more", failing[0], more)
	}
	return failing[0]
}

func (c *Cluster) hasCondition(conditionType string, status metav1.ConditionStatus) bool {
	at := c.condition(conditionType)
	return at != nil && at.Status == status
}

// condition returns a condition of the cluster's binding for the current generation of the binding, or nil if there is none.
func (c *Cluster) condition(conditionType string) *metav1.Condition {
	if c.binding == nil {
		return nil
	}
	for _, at := range c.binding.Status.Conditions {
		if at.Type == conditionType && at.ObservedGeneration == c.binding.Generation {
			return &at
		}
	}
	return nil
}
