package rollout

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Settings bound how many clusters change at once.
type Settings struct {
	// MaxUnavailable is how many clusters may be without a working placement.
	MaxUnavailable Count
	// MaxSurge is how many clusters more than Target may have the placement while it moves.
	MaxSurge Count
	// UnavailablePeriod is how long objects of which nobody can tell whether they work have to be there until they count as working.
	UnavailablePeriod time.Duration
	// Target is the number of clusters that the policy wants, as upstream's rollout controller computes it: for PickAll the picked clusters,
	// for PickFixed the names in the list, for PickN the number, whether so many are found or not.
	Target int
}

// ParseSettings reads the settings for a number of clusters; what was left out has KubeFleet's defaults, 25%, 25% and 60 seconds. The
// error says which setting is wrong.
func ParseSettings(r placement.RollingUpdate, desired int) (Settings, error) {
	s := Settings{UnavailablePeriod: time.Minute, Target: desired}
	var err error
	if s.MaxUnavailable, err = ParseCount(cmp.Or(r.MaxUnavailable, "25%")); err != nil {
		return Settings{}, fmt.Errorf("max_unavailable: %w", err)
	}
	if s.MaxSurge, err = ParseCount(cmp.Or(r.MaxSurge, "25%")); err != nil {
		return Settings{}, fmt.Errorf("max_surge: %w", err)
	}
	if seconds := r.UnavailablePeriodSeconds; seconds != nil {
		if *seconds < 0 {
			return Settings{}, fmt.Errorf("unavailable_period_seconds: %d is negative: it is 0 or more", *seconds)
		}
		// The API takes periods that are longer than a Duration can be, some 292 years.
		s.UnavailablePeriod = time.Duration(min(*seconds, int64(math.MaxInt64/time.Second))) * time.Second
	}
	return s, nil
}

// toChange is how many working clusters may stop working now: those that are more than the number that has to work.
func (s Settings) toChange(target, working int) int {
	return working - (target - s.MaxUnavailable.Of(target))
}

// toAdd is how many clusters may get the placement now, besides those that have it.
func (s Settings) toAdd(target, occupied int) int { return target + s.MaxSurge.Of(target) - occupied }
