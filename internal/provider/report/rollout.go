package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// byRun is added to a summary where a staged update run makes the changes.
const byRun = " by the next staged update run"

// externalNote says who makes the changes of a placement that a staged update run rolls out.
const externalNote = `strategy.type is "External": the apply writes the placement and changes no object. The next staged update run makes the changes shown here.`

// rolloutNote says in which order a hub comes to the clusters, and to which it does not; empty where it comes to all of them at once.
func rolloutNote(preview *engine.Preview) string {
	if len(preview.Rollout) < 2 && preview.Hold == nil {
		return ""
	}
	steps := make([]string, 0, len(preview.Rollout))
	for _, group := range preview.Rollout {
		steps = append(steps, words.List(names(group), maxClusters))
	}
	text := "The rollout comes to " + words.List(steps, maxSteps)
	if len(steps) > 1 {
		text += ", one after the other, each when those before are available"
	}
	hold := preview.Hold
	switch {
	case hold == nil:
		return text + "."
	case len(steps) == 0:
		text = "The rollout HOLDS BACK "
	default:
		text += ", and HOLDS BACK "
	}
	return text + words.List(names(hold.Clusters), maxClusters) + ": " + holdReason(*hold)
}

// holdReason says what the rollout waits for, and what would make it go on.
func holdReason(hold engine.Hold) string {
	var why []string
	for i, c := range hold.For {
		if i == maxClusters {
			why = append(why, fmt.Sprintf("%d more are not", len(hold.For)-i))
			break
		}
		why = append(why, fmt.Sprintf("%s is not available (%s)", plain(c.Cluster, maxName), plain(c.Reason, maxMessage)))
	}
	if hold.Missing > 0 {
		why = append(why, fmt.Sprintf("%s that the policy asks for cannot be had", words.Count(hold.Missing, "cluster")))
	}
	const setting = "strategy.rolling_update.max_unavailable"
	if len(why) == 0 {
		return fmt.Sprintf("with %s = %d a hub changes no cluster that has the placement.", setting, hold.MaxUnavailable)
	}
	return fmt.Sprintf("%s. No more than %d may be unavailable: it goes on when that is mended, or with a larger %s.", strings.Join(why, ", "),
		hold.MaxUnavailable, setting)
}

// names are those of clusters as they may be printed.
func names(clusters []string) []string {
	out := make([]string, len(clusters))
	for i, name := range clusters {
		out[i] = plain(name, maxName)
	}
	return out
}

// emptySelectors tells of those that match nothing, beside others that do.
func emptySelectors(preview *engine.Preview) []string {
	then := "it places nothing"
	if preview.Predicted {
		then = "the hub places what it matches as soon as that is there"
	}
	var out []string
	for _, i := range preview.EmptySelectors {
		if slices.ContainsFunc(preview.Skipped, func(s selection.Skipped) bool { return s.Selector == i }) {
			continue // a note of its own names the skipped object
		}
		out = append(out, fmt.Sprintf("resource_selectors[%d] matches nothing now: %s.", i, then))
	}
	return out
}

// nothingSelected says what an apply makes of selectors none of which matches anything.
func nothingSelected(preview *engine.Preview, counts counts) string {
	const text = "None of the resource_selectors matches anything now. "
	if !preview.Predicted {
		return text + "The apply ends with an error and changes nothing, unless the objects are there by then, made in the same apply."
	}
	removed := ""
	if counts.of[takeover.ActionPrune] > 0 {
		removed = " deletes what it placed before, and"
	}
	return text + "The apply writes the placement all the same: the hub" + removed + " places what they match as soon as that is there."
}
