package rollout

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Settings limit how many clusters change at the same time.
type Settings struct {
	// MaxUnavailable is the maximum number of clusters without a working placement.
	MaxUnavailable Count
	// MaxSurge is the maximum number of clusters above Target that have the placement during a rollout.
	MaxSurge Count
	// UnavailablePeriod is how long a cluster must be Ready before it counts as working, if the availability of its objects cannot be tracked.
	UnavailablePeriod time.Duration
	// Target is the number of clusters that the policy requests, as KubeFleet's rollout controller computes it: the picked clusters for
	// PickAll, the names in the list for PickFixed, and the number for PickN, even if fewer are found.
	Target int
}

// ParseSettings parses the settings. desired is the Target of the settings. Omitted settings have KubeFleet's defaults: 25%, 25% and 60 seconds. The error
// names the invalid setting.
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
			return Settings{}, fmt.Errorf("unavailable_period_seconds: %d is negative: it must be 0 or more", *seconds)
		}
		// The API accepts longer periods than a Duration can hold. A Duration can hold about 292 years.
		s.UnavailablePeriod = time.Duration(min(*seconds, int64(math.MaxInt64/time.Second))) * time.Second
	}
	return s, nil
}

// maxToChange returns how many working clusters may stop working now: the number of working clusters minus the number that must work. It can be negative.
func (s Settings) maxToChange(target, working int) int {
	return working - (target - s.MaxUnavailable.Of(target))
}

func (s Settings) maxToAdd(target, occupied int) int {
	return target + s.MaxSurge.Of(target) - occupied
}
