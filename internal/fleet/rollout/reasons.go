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
		limit, clusters, count := b.Target+b.MaxSurge, "clusters", "count"
		occupied := limit - r.left.ToAdd
		if limit == 1 {
			clusters = "cluster"
		}
		if occupied == 1 {
			count = "counts"
		}
		return fmt.Sprintf("max_surge %s allows at most %d %s with the placement, and %d %s already%s",
			r.settings.MaxSurge, limit, clusters, occupied, count, r.describeBlockers(c))
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
		case waits.Change == Create && !c.isOccupied(c.status) && (c.Change != Create || !c.started): // does not count for max_surge
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

// maxBlockers is the number of clusters that a reason names at most.
const maxBlockers = 3

// describe returns why other clusters may wait for the cluster, or "" if the cluster works and does not change now.
func (c candidate) describe() string {
	switch {
	case c.started && c.Change == Remove:
		return "loses the placement now"
	case c.started:
		return "changes now"
	case c.status == statusAbsent:
		return "does not have the placement yet"
	case c.status == statusFailing:
		return "fails"
	case c.status == statusUnreachable:
		return "cannot be reached"
	case c.status == statusRemoving:
		return "still has objects that are being deleted"
	case c.status == statusProving:
		return "is available for less than unavailable_period_seconds"
	case c.State == Applying:
		return "is still applying"
	case c.status == statusBroken:
		return "is not available"
	}
	return ""
}
