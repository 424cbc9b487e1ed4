package report

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// willDrift reports whether an object counts as drifted as soon as it is written. The write keeps fields that the placed object lacks, and a full
// comparison finds them.
func willDrift(object engine.ObjectPreview, strategy placement.ApplyStrategy) bool {
	return strategy.WhenToApply == placement.ApplyIfNotDrifted && strategy.ComparisonOption == placement.FullComparison &&
		strategy.Type != placement.ReportDiff && !object.RemainsDrifted() && object.Action.Places() && object.Action.Writes() && len(object.ObservedDrifts) > 0
}

// driftLine names the fields for which the object will be reported as drifted; nothing for an object that will not.
func (f *finding) driftLine(strategy placement.ApplyStrategy) []string {
	if !willDrift(f.object, strategy) {
		return nil
	}
	return []string{"      reported as drifted: " + words.List(f.driftPaths(), maxDifferences)}
}

// driftPaths are the paths of the fields that drift, as the status has them.
func (f *finding) driftPaths() []string {
	out := make([]string, len(f.object.ObservedDrifts))
	for i, detail := range f.object.ObservedDrifts {
		out[i] = plain(detail.Path, maxName)
	}
	return out
}

// countDrifts counts the objects that will be reported as drifted.
func (c *counts) countDrifts(preview *engine.Preview, strategy placement.ApplyStrategy) {
	for _, cluster := range preview.Clusters {
		before := c.drifts
		for _, object := range cluster.Objects {
			if willDrift(object, strategy) {
				c.drifts++
			}
		}
		if c.drifts > before {
			c.driftsOn = append(c.driftsOn, plain(cluster.Name, maxName))
		}
	}
}

// driftAdvice is added to a plan with such objects.
const driftAdvice = `With comparison_option = "FullComparison" and when_to_apply = "IfNotDrifted", a field that the placed object does not have is a drift. ` +
	`The object is reported as not applied, and is updated again only when the placed object changes. Add the field to the placed object, remove it on the ` +
	`cluster, or use "PartialComparison".`
