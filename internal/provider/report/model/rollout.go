package model

import (
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// maxSteps is the number of steps of a rollout that are listed.
const maxSteps = 5

// describeRollout says in which order a hub changes the clusters, and which are blocked; it is "" if the hub changes all of them at once.
func describeRollout(preview *engine.Preview) string {
	hold := preview.Hold
	if len(preview.Rollout) < 2 && hold == nil {
		return ""
	}
	steps := make([]string, len(preview.Rollout))
	for i, group := range preview.Rollout {
		steps[i] = words.List(Names(group), MaxClusters)
	}
	text := "The rollout comes to " + words.List(steps, maxSteps)
	if len(steps) > 1 {
		text += ", one after the other, each when those before are available"
	}
	switch {
	case hold == nil:
		return text + "."
	case len(steps) == 0:
		text = "The rollout HOLDS BACK "
	default:
		text += ", and HOLDS BACK "
	}
	return text + words.List(Names(hold.Clusters), MaxClusters) + ": " + describeHold(*hold)
}

// describeHold says what the rollout waits for, and what would unblock it.
func describeHold(hold engine.Hold) string {
	var why []string
	for i, c := range hold.For {
		if i == MaxClusters {
			why = append(why, fmt.Sprintf("%d more are not", len(hold.For)-i))
			break
		}
		why = append(why, fmt.Sprintf("%s is not available (%s)", Name(c.Cluster), Message(c.Reason)))
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
