package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

const (
	// missingTitle is that of the workloads whose Pods do not start.
	missingTitle = "Will not become available, because their Pods need an object that is missing:"
	// missingAdvice is added to a plan with such workloads.
	missingAdvice = "A missing object is not on the cluster when the Pods start, and no placement that was planned before this one has it. Add the object to this " +
		"placement, or let this placement depend on the one that has it (depends_on)."
	// missingNext says what the user can do about workloads that lack an object.
	missingNext = "An apply has nothing to write for them. Create the missing objects on the cluster, or place them: the Pods then start on their own."
)

// missingFinding is a workload whose Pods need objects that are missing: those that are not on the cluster, and those that the plan deletes there.
type missingFinding struct {
	*finding
	absent, deleted []manifest.Identifier
}

// missingFindings returns the workloads whose Pods need an object that is missing. A workload that lacks the same objects on several clusters is one finding.
func missingFindings(preview *engine.Preview) []*missingFinding {
	var out []*missingFinding
	known := map[string]*missingFinding{}
	for _, cluster := range preview.Clusters {
		deletes := func(id manifest.Identifier) bool {
			return slices.ContainsFunc(cluster.Objects, func(o engine.ObjectPreview) bool { return o.Action == takeover.ActionPrune && o.Key() == id.Key() })
		}
		for _, object := range cluster.Objects {
			if len(object.Missing) == 0 {
				continue
			}
			one := &missingFinding{finding: &finding{object: object}}
			for _, id := range object.Missing {
				if deletes(id) {
					one.deleted = append(one.deleted, id)
				} else {
					one.absent = append(one.absent, id)
				}
			}
			key := sameness(engine.ObjectPreview{Identifier: object.Identifier, Missing: one.absent}) + fmt.Sprint(one.deleted)
			if known[key] == nil {
				known[key] = one
				out = append(out, one)
			}
			known[key].clusters = append(known[key].clusters, plain(cluster.Name, maxName))
		}
	}
	return out
}

func missingSection(preview *engine.Preview) *section {
	out := &section{title: missingTitle, what: "object", reserve: 4}
	for _, f := range missingFindings(preview) {
		var why []string
		if len(f.absent) > 0 {
			why = append(why, lacks(f.absent))
		}
		if len(f.deleted) > 0 {
			why = append(why, "this plan deletes "+words.List(nameMissing(f.deleted), maxDifferences))
		}
		out.add("  " + f.title() + " on " + words.List(f.clusters, maxClusters) + ": " + strings.Join(why, ", and "))
	}
	return out
}

// nameMissing returns the names of missing objects.
func nameMissing(missing []manifest.Identifier) []string {
	out := make([]string, len(missing))
	for i, id := range missing {
		out[i] = plain(id.String(), maxName)
	}
	return out
}

// lacks says that objects are not on a cluster.
func lacks(missing []manifest.Identifier) string {
	names := nameMissing(missing)
	if len(names) == 1 {
		return names[0] + " is not on the cluster"
	}
	return words.List(names, maxDifferences) + " are not on the cluster"
}

func missingTable(preview *engine.Preview) *table {
	out := &table{title: "Workloads that will not become available", head: []string{"Object", "On", "Missing objects that their Pods need"}, reserve: 4000}
	for _, f := range missingFindings(preview) {
		names := nameMissing(f.absent)
		for _, name := range nameMissing(f.deleted) {
			names = append(names, name+" (deleted by this plan)")
		}
		out.row(len(f.clusters), f.cell(), f.where(), codes(names))
	}
	return fold(out)
}

// countMissing counts the workloads whose Pods need an object that is missing.
func (c *counts) countMissing(cluster engine.ClusterPreview) {
	before := c.missing
	for _, object := range cluster.Objects {
		if len(object.Missing) > 0 {
			c.missing++
		}
	}
	if c.missing > before {
		c.missingOn = append(c.missingOn, plain(cluster.Name, maxName))
	}
}
