package rollout

import (
	"fmt"
	"strings"
)

func (r *stepBuilder) waitReasons() map[string]string {
	reasons := map[string]string{}
	for _, c := range r.candidates {
		if c.Change != None && !c.started {
			reasons[c.Name] = r.waitReason(c)
		}
	}
	return reasons
}

func (r *stepBuilder) waitReason(c candidate) string {
	b := r.step.Budget
	switch {
	case c.status == statusUnreachable:
		return "the cluster cannot be reached"
	case c.status == statusRemoving && c.Change == Remove:
		return "its objects are being deleted"
	case c.status == statusRemoving:
		return "the objects that it had before are still being deleted"
	case c.Change == Create:
		occupied, have := b.Target+b.MaxSurge-r.left.ToAdd, "%d clusters have the placement or get it now"
		if occupied == 1 {
			have = "%d cluster has the placement or gets it now"
		}
		return fmt.Sprintf(have+", and with max_surge %s at most %d may%s", occupied, r.settings.MaxSurge, b.Target+b.MaxSurge, r.describeBlockers(c))
	case c.status == statusBroken:
		return fmt.Sprintf("it is not available, and with max_unavailable %s at most %d such clusters get the newest version at a time%s",
			r.settings.MaxUnavailable, max(b.MaxUnavailable, 1), r.describeBlockers(c))
	case b.MaxUnavailable == 0:
		return "max_unavailable is 0, so no cluster can become unavailable" + r.describeBlockers(c)
	}
	return fmt.Sprintf("max_unavailable %s (%d of %d clusters) is used up%s",
		r.settings.MaxUnavailable, b.MaxUnavailable, min(b.Target, b.Picked), r.describeBlockers(c))
}

func (r *stepBuilder) describeBlockers(waits candidate) string {
	var causes []string
	more := 0
	for _, c := range r.candidates {
		cause := c.describe()
		switch {
		case cause == "", c.Name == waits.Name:
		case c.status == statusAbsent && !c.started && waits.Change == Create:
		case len(causes) == maxBlockers:
			more++
		default:
			causes = append(causes, c.Name+" "+cause)
		}
	}
	if causes == nil {
		return ""
	}
	if more > 0 {
		causes = append(causes, fmt.Sprintf("and %d more", more))
	}
	return ": " + strings.Join(causes, ", ")
}

// maxBlockers limits the length of a reason in a large fleet.
const maxBlockers = 3

// describe returns "" for a cluster that works and does not change now.
func (c candidate) describe() string {
	switch {
	case c.started && c.Change == Remove:
		return "is being emptied"
	case c.started:
		return "changes now"
	case c.status == statusAbsent:
		return "does not have the placement yet"
	case c.status == statusFailing:
		return "fails"
	case c.status == statusUnreachable:
		return "cannot be reached"
	case c.status == statusRemoving:
		return "is being emptied"
	case c.status == statusProving:
		return "is available for less than unavailable_period_seconds"
	case c.State == Applying:
		return "is still applying"
	case c.status == statusBroken:
		return "is not available"
	}
	return ""
}
