package rollout

import (
	"fmt"
	"strings"
)

// waiting says why the clusters that have a change and were not started wait.
func (r *roll) waiting() map[string]string {
	reasons := map[string]string{}
	for _, c := range r.candidates {
		if c.Change != None && !c.started {
			reasons[c.Name] = r.reason(c)
		}
	}
	return reasons
}

func (r *roll) reason(c candidate) string {
	b := r.step.Budget
	switch {
	case c.is == lost:
		return "the cluster cannot be reached"
	case c.is == leaving && c.Change == Remove:
		return "its objects are being deleted"
	case c.is == leaving:
		return "the objects that it had before are still being deleted"
	case c.Change == Create:
		occupied, have := b.Target+b.MaxSurge-r.left.ToAdd, "%d clusters have the placement or get it now"
		if occupied == 1 {
			have = "%d cluster has the placement or gets it now"
		}
		return fmt.Sprintf(have+", and with max_surge %s at most %d may%s", occupied, r.settings.MaxSurge, b.Target+b.MaxSurge, r.because(c))
	case c.is == broken:
		return fmt.Sprintf("it is not available, and with max_unavailable %s at most %d such clusters get the newest version at a time%s",
			r.settings.MaxUnavailable, max(b.MaxUnavailable, 1), r.because(c))
	case b.MaxUnavailable == 0:
		return "max_unavailable is 0, so that no cluster may stop working" + r.because(c)
	}
	return fmt.Sprintf("max_unavailable %s (%d of %d clusters) is used up%s",
		r.settings.MaxUnavailable, b.MaxUnavailable, min(b.Target, b.Picked), r.because(c))
}

// because names the clusters that one waits for.
func (r *roll) because(waits candidate) string {
	var causes []string
	more := 0
	for _, c := range r.candidates {
		cause := c.cause()
		switch {
		case cause == "", c.Name == waits.Name:
		case c.is == absent && !c.started && waits.Change == Create:
		case len(causes) == mostCauses:
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

// mostCauses bounds the length of a reason in a large fleet.
const mostCauses = 3

// cause says why a cluster does not work, or will soon not.
func (c candidate) cause() string {
	switch {
	case c.started && c.Change == Remove:
		return "is emptied now"
	case c.started:
		return "changes now"
	case c.is == absent:
		return "does not have the placement yet"
	case c.is == failing:
		return "fails"
	case c.is == lost:
		return "cannot be reached"
	case c.is == leaving:
		return "is being emptied"
	case c.is == proving:
		return "has to stay available for a while"
	case c.State == Applying:
		return "is still applying"
	case c.is == broken:
		return "is not available"
	}
	return ""
}
