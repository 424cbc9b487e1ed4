package report

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

const (
	// missingTitle is that of the workloads whose Pods do not start.
	missingTitle = "Will not become available, because their Pods need an object that is missing:"
	// missingAdvice is added to a plan with such workloads.
	missingAdvice = "A missing object is neither on the cluster nor in a placement that was planned before this one. Add the object to this placement, or let this " +
		"placement depend on the one that has it (depends_on)."
	// missingNext says what the user can do about workloads that lack an object.
	missingNext = "An apply has nothing to write for them. Create the missing objects on the cluster, or place them: the Pods then start on their own."
)

// missingFindings returns the workloads whose Pods need an object that is missing. A workload that lacks the same objects on several clusters is one finding.
func missingFindings(preview *engine.Preview) []*finding {
	var out []*finding
	known := map[string]*finding{}
	for _, cluster := range preview.Clusters {
		for _, object := range cluster.Objects {
			if len(object.Missing) == 0 {
				continue
			}
			key := sameness(engine.ObjectPreview{Identifier: object.Identifier, Missing: object.Missing})
			if known[key] == nil {
				known[key] = &finding{object: object}
				out = append(out, known[key])
			}
			known[key].clusters = append(known[key].clusters, plain(cluster.Name, maxName))
		}
	}
	return out
}

func missingSection(preview *engine.Preview) *section {
	return objectSection(missingFindings(preview), missingTitle, 4, func(f *finding) []string {
		return []string{"  " + f.title() + " on " + list(f.clusters, maxClusters) + ": " + lacks(f.object.Missing)}
	})
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
	return list(names, maxDifferences) + " are not on the cluster"
}

func missingTable(preview *engine.Preview) *table {
	out := &table{title: "Workloads that will not become available", head: []string{"Object", "On", "Missing objects that their Pods need"}, reserve: 4000}
	for _, f := range missingFindings(preview) {
		out.row(len(f.clusters), f.cell(), f.where(), codes(nameMissing(f.object.Missing)))
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
