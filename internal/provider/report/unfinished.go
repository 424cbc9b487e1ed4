package report

import (
	"maps"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

// Unfinished is what the last apply has left to do.
type Unfinished struct {
	plain.Groups
	// nowhere says that the placement is on no cluster and was to be on some.
	nowhere bool
	// unheard says that the hub was not heard to have taken the last change up.
	unheard bool
	// status and waits are the arguments of [NewUnfinished], for [Unfinished.Since].
	status placement.Status
	waits  bool
}

// NewUnfinished reads a status: an object could not be written or has been changed since, a cluster was not come to or, if the apply is to wait
// for that, an object is not available. What the mode leaves alone is as the user asked for. nowhere says that the placement is on no cluster
// and was to be on some.
func NewUnfinished(status placement.Status, waits, nowhere bool) Unfinished {
	return newUnfinished(status, waits, nowhere, func(string, manifest.Key) bool { return false })
}

// newUnfinished leaves out the workloads that do not become available because they lack an object.
func newUnfinished(status placement.Status, waits, nowhere bool, lacks func(cluster string, object manifest.Key) bool) Unfinished {
	out := Unfinished{nowhere: nowhere, unheard: status.Unheard, status: status, waits: waits}
	for _, name := range slices.Sorted(maps.Keys(status.Clusters)) {
		cluster := status.Clusters[name]
		if cluster.Pending() {
			out.AddCluster(name, "objects that differed from the placement when they were last checked")
		} else if c := cluster.Behind(waits); c != nil {
			out.AddCluster(name, notThrough(*c))
		}
		for _, conditionType := range []string{placement.RolloutStarted, placement.Overridden} {
			if c, found := cluster.Condition(conditionType); found && c.Status == placement.False {
				out.AddCluster(name, c.Message)
			}
		}
		for _, failed := range cluster.FailedPlacements {
			object := failed.Identifier.String()
			switch c := failed.Condition; c.Type {
			case placement.Available:
				if waits && !lacks(name, failed.Key()) {
					out.AddCluster(name, object+" is not available yet")
				}
			case placement.Applied:
				if !isLeft(c.Reason) {
					out.AddCluster(name, object+" was not applied: "+c.Message)
				}
			}
		}
	}
	return out
}

// Since returns the part that an apply can complete: a preview shows whether the hub has observed the change by now, and which workloads lack an object.
func (u Unfinished) Since(preview *engine.Preview) Unfinished {
	out := newUnfinished(u.status, u.waits, u.nowhere, func(cluster string, object manifest.Key) bool {
		return slices.ContainsFunc(preview.Clusters, func(c engine.ClusterPreview) bool {
			return c.Name == cluster && slices.ContainsFunc(c.Objects, func(o engine.ObjectPreview) bool { return o.Key() == object && len(o.Missing) > 0 })
		})
	})
	out.unheard = u.unheard && preview.Unheard
	return out
}

// Any tells whether anything is left to do.
func (u Unfinished) Any() bool { return u.nowhere || u.unheard || len(u.Texts) > 0 }

// explains tells whether it is the reason for an apply: if that writes an object, the object is.
func (u Unfinished) explains(preview *engine.Preview) bool {
	return u.Any() && !slices.ContainsFunc(preview.Clusters, func(cluster engine.ClusterPreview) bool {
		return slices.ContainsFunc(cluster.Objects, engine.ObjectPreview.Pending)
	})
}

// beside returns the part that the lines of the clusters do not repeat: they say why nothing can be placed on one.
func (u Unfinished) beside(r *model.Report) Unfinished {
	problems := map[string]string{}
	for _, c := range r.Clusters {
		problems[c.Name] = c.Problem
	}
	groups := u.Groups
	u.Groups = plain.Groups{}
	for _, text := range groups.Texts {
		for _, name := range groups.Names[text] {
			if problems[name] == "" || !strings.HasSuffix(text, problems[name]) {
				u.Add(text, name)
			}
		}
	}
	return u
}

// String is the same for a plan that has looked at no cluster; empty if nothing is left to do.
func (u Unfinished) String() string {
	if !u.Any() {
		return ""
	}
	return plain.Layout(u.section(goesOn)) + "\n\n"
}

// goesOn is the title of what an apply goes on with.
const goesOn = "The last apply is not complete, and this one goes on with it:"

func (u Unfinished) section(title string) *plain.Section {
	out := &plain.Section{Title: title, Unit: "line", Reserve: 8}
	if u.nowhere {
		out.Add("  The placement is on no cluster.")
	}
	if u.unheard {
		out.Add("  The hub was not heard to have taken it up. Check that its agent runs.")
	}
	u.Lines(out, "  ", model.MaxClusters)
	return out
}

// isLeft reports whether a reason is that of an object which the strategy leaves as it is.
func isLeft(reason string) bool {
	switch reason {
	case takeover.ReasonNotTakenOver, takeover.ReasonFailedToTakeOver, takeover.ReasonFoundDrifts, takeover.ReasonFoundDriftsInDegradedMode:
		return true
	}
	return false
}
