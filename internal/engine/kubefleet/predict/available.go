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

// available tells whether the rollout counts the cluster as one that works: what it has is available, or its differences are reported. (KubeFleet,
// pkg/controllers/rollout: isBindingReady. What cannot be tracked counts a while later, which is not foreseen.)
func (c *Cluster) available() bool {
	return c.binding != nil && c.binding.DeletionTimestamp == nil &&
		(c.is(placement.Available, metav1.ConditionTrue) || c.is(placement.DiffReported, metav1.ConditionTrue))
}

// occupied tells whether the cluster counts for max_surge. One that the scheduler has picked and the rollout has not come to does not yet.
func (c *Cluster) occupied() bool {
	return c.binding != nil && c.binding.DeletionTimestamp == nil && c.binding.Spec.State != wire.BindingStateScheduled && !c.failed()
}

// failed tells whether the rollout comes to the cluster with a new content at once, however many others are unavailable, and counts it for nothing.
// (KubeFleet, pkg/utils/binding: HasBindingFailed. What is only on its way counts as failed, too, but for a few reasons.)
func (c *Cluster) failed() bool {
	for _, stage := range []string{placement.Overridden, placement.WorkSynchronized, placement.Applied, placement.Available} {
		if at := c.condition(stage); at != nil && at.Status == metav1.ConditionFalse && !slices.Contains(onItsWay, at.Reason) {
			return true
		}
	}
	return false
}

// onItsWay are the reasons that are no failure.
var onItsWay = []string{"OverriddenPending", "WorkNotSynchronizedYet", "ApplyPending", "ResourceNotAvailableYet"}

// unavailable is why the cluster does not count as available.
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

// Item returns the prediction for an object that is placed on a cluster, nil if there is none.
func (p *Prediction) Item(cluster string, object manifest.Key) *memberpreview.Object {
	if c := p.Cluster(cluster); c != nil {
		return c.items[object]
	}
	return nil
}

// Rejects reports whether an object that the hub reports as not applied is predicted to be rejected for the same reason.
func (p *Prediction) Rejects(cluster string, failed placement.FailedPlacement) bool {
	item := p.Item(cluster, failed.Key())
	return item != nil && item.Action == takeover.ActionReject && failed.Condition.Type == placement.Applied && failed.Condition.Reason == item.Reason
}

// obstacle returns why the cluster does not become available with what is to be placed: an object is predicted not to be applied. It returns "" if there is no
// such object.
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

func (c *Cluster) is(conditionType string, status metav1.ConditionStatus) bool {
	at := c.condition(conditionType)
	return at != nil && at.Status == status
}

// condition is one of the cluster's binding that is about it as it is now; nil if there is none.
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
