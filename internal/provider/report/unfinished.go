package report

import (
	"maps"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Unfinished is what the last apply has left to do.
type Unfinished struct {
	byText
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
			out.add(name, "objects that differed from the placement when they were last checked")
		} else if c := cluster.Behind(waits); c != nil {
			out.add(name, notThrough(*c))
		}
		for _, conditionType := range []string{placement.RolloutStarted, placement.Overridden} {
			if c, found := cluster.Condition(conditionType); found && c.Status == placement.False {
				out.add(name, c.Message)
			}
		}
		for _, failed := range cluster.FailedPlacements {
			object := failed.Identifier.String()
			switch c := failed.Condition; c.Type {
			case placement.Available:
				if waits && !lacks(name, failed.Key()) {
					out.add(name, object+" is not available yet")
				}
			case placement.Applied:
				if !left(c.Reason) {
					out.add(name, object+" was not applied: "+c.Message)
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
func (u Unfinished) Any() bool { return u.nowhere || u.unheard || u.any() }

// explains tells whether it is the reason for an apply: if that writes an object, the object is.
func (u Unfinished) explains(preview *engine.Preview) bool {
	return u.Any() && !slices.ContainsFunc(preview.Clusters, func(cluster engine.ClusterPreview) bool {
		return slices.ContainsFunc(cluster.Objects, engine.ObjectPreview.Pending)
	})
}

// beside returns the part that the lines of the clusters do not repeat: they say why nothing can be placed on one.
func (u Unfinished) beside(preview *engine.Preview) Unfinished {
	problems := map[string]string{}
	for _, cluster := range preview.Clusters {
		if cluster.Problem != "" {
			problems[plain(cluster.Name, maxName)] = plain(impersonal(cluster.Problem, cluster.Name), maxMessage)
		}
	}
	lines := u.byText
	u.byText = byText{}
	for _, text := range lines.order {
		for _, name := range lines.of[text] {
			if problems[name] == "" || !strings.HasSuffix(text, problems[name]) {
				u.alikeNames.add(text, name)
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
	return layout([]*section{u.section(goesOn)}) + "\n\n"
}

// goesOn is the title of what an apply goes on with.
const goesOn = "The last apply is not complete, and this one goes on with it:"

func (u Unfinished) section(title string) *section {
	out := &section{title: title, what: "line", reserve: 8}
	if u.nowhere {
		out.add("  The placement is on no cluster.")
	}
	if u.unheard {
		out.add("  The hub was not heard to have taken it up. Check that its agent runs.")
	}
	u.lines(out, "  ", maxClusters)
	return out
}

// left tells whether a reason is that of an object which the strategy leaves as it is.
func left(reason string) bool {
	switch reason {
	case takeover.ReasonNotTakenOver, takeover.ReasonFailedToTakeOver, takeover.ReasonFoundDrifts, takeover.ReasonFoundDriftsInDegradedMode:
		return true
	}
	return false
}
