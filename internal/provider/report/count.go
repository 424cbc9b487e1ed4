package report

import (
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// counts are how many objects meet which fate, over all clusters.
type counts struct {
	create int
	of     map[fate]int
	// on are the clusters with objects of that fate.
	on map[fate][]string
	// clusters are picked ones, offline those that could not be looked at.
	clusters, offline int
}

func count(preview *engine.Preview) counts {
	out := counts{of: map[fate]int{}, on: map[fate][]string{}}
	for _, cluster := range preview.Clusters {
		if cluster.Picked {
			out.clusters++
		}
		if cluster.Err != nil {
			out.offline++
		}
		here := map[fate]int{}
		for _, object := range cluster.Objects {
			if object.Action == engine.ActionCreate {
				out.create++
			}
			here[fateOf(object)]++
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
	where := func(f fate, what, fate string) {
		if n := c.of[f]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s on %s %s", plural(n, what), few(c.on[f], name), fate))
		}
	}
	add := func(n int, format string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(format, n))
		}
	}
	where(fateLeftAlone, "conflict", "left alone")
	where(fateTakenOver, "existing object", "to take over")
	where(fateUnplaceable, "object", "that cannot be placed")
	where(fateDrifted, "object", "left as changed on the cluster")
	add(c.of[fateReported], "%d reported and not written")
	add(c.create, "%d to create")
	add(c.of[fateUpdated], "%d to update")
	add(c.of[fateDeleted], "%d to delete")
	add(c.of[fateReleased], "%d to release")
	add(c.of[fateUnknown], "%d to remove that could not be looked at")
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
