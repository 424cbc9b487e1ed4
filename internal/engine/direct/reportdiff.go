package direct

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// reporting tells whether differences are reported and nothing is applied.
func (p *plan) reporting() bool { return p.strategy().Type == placement.ReportDiff }

// decideReport finds out what is to be reported of an object. Unlike upstream, nothing is taken ownership of on the way, whatever
// whenToTakeOver says: removing the placement would delete what was only to be reported.
func (c *clusterPlan) decideReport(ctx context.Context, i *item, input takeover.Input) error {
	report := takeover.DecideReport(input)
	if report.Action == takeover.ActionNeedsComparison {
		if err := c.compareInto(ctx, i, &input); err != nil {
			return err
		}
		report = takeover.DecideReport(input)
	}
	i.Action, i.Reason, i.Message, i.Differences = engine.ActionReport, report.Reason, report.Message, report.Differences
	i.reported = report.Done
	switch {
	case i.live == nil:
		i.ObservedDiffs = diff.Missing().Patches
	case !report.Done:
		i.ObservedDiffs = nil
	}
	return nil
}

// blockReport reports an object that cannot be compared at all: its kind is not served, for instance.
func (i *item) blockReport() {
	report := takeover.BlockedReport(i.Reason, i.problem)
	i.Action, i.Reason, i.Message, i.reported = engine.ActionReport, report.Reason, report.Message, report.Done
}

// recordReport records what there is to tell of an object.
func (c *clusterRun) recordReport(i *item) {
	if i.reported {
		c.record(i, &outcome{})
		return
	}
	c.record(i, &outcome{failure: &placement.Condition{
		Type: placement.DiffReported, Status: placement.False, Reason: i.Reason, Message: i.Message, ObservedGeneration: generationOf(i),
	}})
}
