package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// Total is what the plans of several placements of a run change together.
type Total struct {
	restarts                        int
	of                              map[takeover.Action]int
	placements, clusters, unchecked map[string]bool
	// weighed are the placements with something that a person has to weigh.
	weighed map[string]bool
}

// totalled are the actions that a total counts, in order.
var totalled = []struct {
	action takeover.Action
	word   string
}{
	{takeover.ActionCreate, "create"}, {takeover.ActionUpdate, "update"}, {takeover.ActionTakeOver, "take over"},
	{takeover.ActionTakeOverFrom, "take over from other placements"}, {takeover.ActionHandOver, "hand over"},
	{takeover.ActionReplace, "DELETE and recreate"}, {takeover.ActionPrune, "DELETE"}, {takeover.ActionOrphan, "orphan"},
	{takeover.ActionLeaveAlone, "not taken over"}, {takeover.ActionReject, "cannot be placed"}, {takeover.ActionUnknown, "could not be checked"},
}

// NewTotal returns what the plan of one placement changes. The plan can be one of a removal. That of a placement of which nothing changes is the zero value.
func NewTotal(preview *engine.Preview, plan Plan) Total {
	r := newReview(preview, plan)
	out := Total{of: map[takeover.Action]int{}, weighed: map[string]bool{}, restarts: r.counts.restarts}
	if r.needsWarning() {
		out.weighed[preview.Placement] = true
	}
	out.placements, out.clusters, out.unchecked = map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, part := range totalled {
		if n := r.counts.of[part.action]; n > 0 {
			out.of[part.action], out.placements[preview.Placement] = n, true
		}
	}
	if len(out.placements) == 0 {
		return Total{}
	}
	for _, cluster := range preview.Clusters {
		if cluster.Err != nil {
			out.unchecked[cluster.Name] = true
		}
		if slices.ContainsFunc(cluster.Objects, func(o engine.ObjectPreview) bool { return o.Action.Writes() }) {
			out.clusters[cluster.Name] = true
		}
	}
	return out
}

// And returns both together.
func (t Total) And(other Total) Total {
	out := Total{
		restarts: t.restarts + other.restarts, weighed: union(t.weighed, other.weighed), of: map[takeover.Action]int{},
		placements: union(t.placements, other.placements), clusters: union(t.clusters, other.clusters), unchecked: union(t.unchecked, other.unchecked),
	}
	for _, part := range totalled {
		out.of[part.action] = t.of[part.action] + other.of[part.action]
	}
	return out
}

func union(a, b map[string]bool) map[string]bool {
	out := map[string]bool{}
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}

// String counts in one line.
func (t Total) String() string {
	var parts []string
	for _, part := range totalled {
		if n := t.of[part.action]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, part.word))
		}
	}
	if t.restarts > 0 {
		parts = append(parts, fmt.Sprintf("%d restart", t.restarts))
	}
	text := "Run so far (" + words.Count(len(t.placements), "placement") + "): " + strings.Join(parts, ", ")
	if len(t.clusters) > 0 {
		text += ", on " + few(slices.Sorted(maps.Keys(t.clusters)), func(name string) string { return plain(name, maxName) })
	}
	if n := len(t.unchecked); n > 0 {
		text += fmt.Sprintf("; %s NOT CHECKED", words.Count(n, "cluster"))
	}
	return text
}

// Sum warns of what the placements of a run change together: one line that counts, where a person has to weigh more than one of them. The
// warning of a single placement says as much. Terraform shows it below a placement that may not be one of them, so the text says what it is about.
func Sum(diags *diag.Diagnostics, total Total) {
	if len(total.weighed) > 1 {
		names := plainAll(slices.Sorted(maps.Keys(total.placements)))
		diags.AddAttributeWarning(path.Root("name"), total.String(),
			"Placements: "+words.List(names, maxNamed)+". The warning is about all of them: Terraform shows it at the placement that was planned last.")
	}
}
