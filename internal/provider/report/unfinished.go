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

// Unfinished is what the last apply did not complete.
type Unfinished struct {
	messages plain.Groups
	// isNowhere reports that the placement is on no cluster although the policy asks for some.
	isNowhere bool
	// isUnobserved reports that the hub had not observed the last change when the apply timed out.
	isUnobserved bool
	// status and waits are the arguments of [NewUnfinished], for [Unfinished.Since].
	status placement.Status
	waits  bool
}

// NewUnfinished returns what a status shows as incomplete: objects that could not be written or that differ from the placement, clusters that the rollout has
// not reached or to which overrides could not be applied, and, if waits is true, objects that are not available. Objects that the strategy does not take over,
// or does not update because they have drifted, count as complete. isNowhere reports that the placement is on no cluster although the policy asks for some.
func NewUnfinished(status placement.Status, waits, isNowhere bool) Unfinished {
	return newUnfinished(status, waits, isNowhere, func(string, manifest.Key) bool { return false })
}

// newUnfinished is like [NewUnfinished], but omits the workloads for which lacks returns true. They lack an object, so waiting does not make them available.
func newUnfinished(status placement.Status, waits, isNowhere bool, lacks func(cluster string, object manifest.Key) bool) Unfinished {
	out := Unfinished{isNowhere: isNowhere, isUnobserved: status.NotObserved, status: status, waits: waits}
	for _, name := range slices.Sorted(maps.Keys(status.Clusters)) {
		cluster := status.Clusters[name]
		if cluster.Pending() {
			out.messages.AddCluster(name, "objects that differed from the placement when they were last checked")
		} else if c := cluster.Behind(waits); c != nil {
			out.messages.AddCluster(name, describeCondition(*c))
		}
		for _, conditionType := range []string{placement.RolloutStarted, placement.Overridden} {
			if c, found := cluster.Condition(conditionType); found && c.Status == placement.False {
				out.messages.AddCluster(name, c.Message)
			}
		}
		for _, failed := range cluster.FailedPlacements {
			object := failed.Identifier.String()
			switch c := failed.Condition; c.Type {
			case placement.Available:
				if waits && !lacks(name, failed.Key()) {
					out.messages.AddCluster(name, object+" is not available yet")
				}
			case placement.Applied:
				if !isLeft(c.Reason) {
					out.messages.AddCluster(name, object+" was not applied: "+c.Message)
				}
			}
		}
	}
	return out
}

// Since returns the part of u that the next apply can complete. A preview shows whether the hub has observed the last change by now, and which workloads lack
// an object.
func (u Unfinished) Since(preview *engine.Preview) Unfinished {
	out := newUnfinished(u.status, u.waits, u.isNowhere, func(cluster string, object manifest.Key) bool {
		return slices.ContainsFunc(preview.Clusters, func(c engine.ClusterPreview) bool {
			return c.Name == cluster && slices.ContainsFunc(c.Objects, func(o engine.ObjectPreview) bool { return o.Key() == object && len(o.Missing) > 0 })
		})
	})
	out.isUnobserved = u.isUnobserved && preview.OnHub().NotObserved
	return out
}

// Any reports whether anything is incomplete.
func (u Unfinished) Any() bool { return u.isNowhere || u.isUnobserved || len(u.messages.Texts) > 0 }

// explains reports whether the incomplete apply is the only reason for the next one, which then writes no object.
func (u Unfinished) explains(preview *engine.Preview) bool {
	return u.Any() && !slices.ContainsFunc(preview.Clusters, func(cluster engine.ClusterPreview) bool {
		return slices.ContainsFunc(cluster.Objects, engine.ObjectPreview.Pending)
	})
}

// beside returns u without the messages that r already has as the problem of a cluster.
func (u Unfinished) beside(r *model.Report) Unfinished {
	problems := map[string]string{}
	for _, c := range r.Clusters {
		problems[c.Name] = c.Problem
	}
	groups := u.messages
	u.messages = plain.Groups{}
	for _, text := range groups.Texts {
		for _, name := range groups.Names[text] {
			if problems[name] == "" || !strings.HasSuffix(text, problems[name]) {
				u.messages.Add(text, name)
			}
		}
	}
	return u
}

// String returns a section and an empty line for the beginning of a text, or "" if nothing is incomplete.
func (u Unfinished) String() string {
	if !u.Any() {
		return ""
	}
	return plain.Layout(u.section(resumeTitle)) + "\n\n"
}

const resumeTitle = "The last apply is not complete. This apply continues it:"

func (u Unfinished) section(title string) *plain.Section {
	out := &plain.Section{Title: title, Unit: "line", Reserve: 8}
	if u.isNowhere {
		out.Add("  The placement is on no cluster.")
	}
	if u.isUnobserved {
		out.Add("  The hub has not observed the last change. Check that the hub agent is running.")
	}
	u.messages.Lines(out, "  ", model.MaxClusters)
	return out
}

func isLeft(reason string) bool {
	switch reason {
	case takeover.ReasonNotTakenOver, takeover.ReasonFailedToTakeOver, takeover.ReasonFoundDrifts, takeover.ReasonFoundDriftsInDegradedMode:
		return true
	}
	return false
}
