package report

import (
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// counts are how many objects there are of every action, over all clusters.
type counts struct {
	create int
	of     map[takeover.Action]int
	// on are the clusters with objects of an action.
	on map[takeover.Action][]string
	// clusters are picked ones, offline those that could not be looked at.
	clusters, offline int
}

func count(preview *engine.Preview) counts {
	out := counts{of: map[takeover.Action]int{}, on: map[takeover.Action][]string{}}
	for _, cluster := range preview.Clusters {
		if cluster.Picked {
			out.clusters++
		}
		if cluster.Err != nil {
			out.offline++
		}
		here := map[takeover.Action]int{}
		for _, object := range cluster.Objects {
			if object.Action == takeover.ActionCreate {
				out.create++
			}
			here[object.Action]++
		}
		for f, n := range here {
			out.of[f] += n
			out.on[f] = append(out.on[f], cluster.Name)
		}
	}
	return out
}

// summary is the one line that a reviewer reads first: what needs a look, then what is written. It has the numbers, so that the warnings of
// two placements are never merged. name writes the name of a cluster.
func (c counts) summary(name func(string) string) string {
	var parts []string
	where := func(f takeover.Action, what, fate string) {
		if n := c.of[f]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s on %s %s", plural(n, what), few(c.on[f], name), fate))
		}
	}
	add := func(n int, format string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(format, n))
		}
	}
	where(takeover.ActionLeaveAlone, "conflict", "left alone")
	where(takeover.ActionTakeOver, "existing object", "to take over")
	where(takeover.ActionReject, "object", "that cannot be placed")
	where(takeover.ActionLeaveDrifted, "object", "left as changed on the cluster")
	add(c.of[takeover.ActionReport], "%d reported and not written")
	add(c.create, "%d to create")
	add(c.of[takeover.ActionUpdate], "%d to update")
	add(c.of[takeover.ActionPrune], "%d to delete")
	add(c.of[takeover.ActionOrphan], "%d to release")
	add(c.of[takeover.ActionUnknown], "%d to remove that could not be looked at")
	if len(parts) == 0 {
		parts = append(parts, "no object to write")
	}
	text := strings.Join(parts, ", ")
	if c.offline > 0 {
		text += fmt.Sprintf("; %s NOT CHECKED", plural(c.offline, "cluster"))
	}
	return text
}

// few names one or two clusters and counts more.
func few(clusters []string, name func(string) string) string {
	if len(clusters) > 2 {
		return plural(len(clusters), "cluster")
	}
	written := make([]string, len(clusters))
	for i, cluster := range clusters {
		written[i] = name(cluster)
	}
	return strings.Join(written, " and ")
}
