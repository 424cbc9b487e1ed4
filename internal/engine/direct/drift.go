package direct

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// driftsMatter tells whether an object that others have changed is left as it is.
func driftsMatter(strategy *placement.ApplyStrategy) bool {
	return strategy.WhenToApply == placement.ApplyIfNotDrifted
}

// decideDrift compares an object of ours, of which the same content was applied before, with what is there, and leaves it alone if they
// differ. A change of the content closes this gate, as upstream: then the object is written whatever others have made of it.
func (c *clusterPlan) decideDrift(ctx context.Context, p *plan, i *item) (drifted bool, err error) {
	input := takeover.Input{Live: i.live, Owned: true, Strategy: *p.strategy()}
	if err := c.compareInto(ctx, i, &input); err != nil {
		return false, err
	}
	i.ObservedDrifts, i.ObservedDiffs = i.ObservedDiffs, nil
	decision := takeover.DecideDrift(takeover.DriftInput{
		Strategy: input.Strategy, SameManifest: true,
		Compared: input.Compared, Differences: input.Differences, Degraded: input.Degraded, CompareErr: input.CompareErr,
	})
	i.Reason, i.Message, i.Differences = decision.Reason, decision.Message, decision.Differences
	if decision.Action != takeover.ActionRefuse {
		i.ObservedDrifts = nil
		return false, nil
	}
	i.Action = engine.ActionRefuse
	return true, nil
}

// detectDrift compares an object that was applied once more, as KubeFleet does with a full comparison: what others have added is told,
// and left. Of an object that is yet to be created a preview does not tell it: the API server allocates addresses and the like anew.
func (i *item) detectDrift(p *plan, is *unstructured.Unstructured) {
	if p.strategy().ComparisonOption == placement.FullComparison && is != nil && !p.reporting() {
		i.ObservedDrifts = diff.Patches(i.desired, is)
	}
}
