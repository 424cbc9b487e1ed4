package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

// Total counts the changes that the plans of one or more placements of a run make.
type Total struct {
	restarts                        int
	of                              map[takeover.Action]int
	placements, clusters, unchecked map[string]bool
	// weighed are the placements with something that a person has to weigh.
	weighed map[string]bool
}

var totalled = []model.Number{
	{Action: takeover.ActionCreate, Format: "%d create"}, {Action: takeover.ActionUpdate, Format: "%d update"}, {Action: takeover.ActionTakeOver, Format: "%d take over"},
	{Action: takeover.ActionTakeOverFrom, Format: "%d take over from other placements"}, {Action: takeover.ActionHandOver, Format: "%d hand over"},
	{Action: takeover.ActionReplace, Format: "%d DELETE and recreate"}, {Action: takeover.ActionPrune, Format: "%d DELETE"},
	{Action: takeover.ActionOrphan, Format: "%d left on the cluster"}, {Action: takeover.ActionLeaveAlone, Format: "%d not taken over"},
	{Action: takeover.ActionReject, Format: "%d cannot be placed"}, {Action: takeover.ActionUnknown, Format: "%d could not be checked"},
}

// NewTotal counts the changes of a plan of one placement, or of its removal. If no object is counted, it returns the zero value.
func NewTotal(preview *engine.Preview, plan Plan) Total {
	r := plan.report(preview)
	out := Total{of: map[takeover.Action]int{}, weighed: map[string]bool{}, restarts: r.Counts.Restarts.N}
	if r.NeedsWarning() {
		out.weighed[preview.Placement] = true
	}
	out.placements, out.clusters, out.unchecked = map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, part := range totalled {
		if n := r.Counts.Of[part.Action]; n > 0 {
			out.of[part.Action], out.placements[preview.Placement] = n, true
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

// And returns the sum of both totals.
func (t Total) And(other Total) Total {
	out := Total{
		restarts: t.restarts + other.restarts, weighed: union(t.weighed, other.weighed), of: map[takeover.Action]int{},
		placements: union(t.placements, other.placements), clusters: union(t.clusters, other.clusters), unchecked: union(t.unchecked, other.unchecked),
	}
	for _, part := range totalled {
		out.of[part.Action] = t.of[part.Action] + other.of[part.Action]
	}
	return out
}

func union(a, b map[string]bool) map[string]bool {
	out := map[string]bool{}
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}

// String returns the numbers as the one-line summary of a warning.
func (t Total) String() string {
	numbers := model.Numbers(t.of, totalled)
	if t.restarts > 0 {
		numbers += fmt.Sprintf(", %d restart", t.restarts)
	}
	text := "Run so far (" + words.Count(len(t.placements), "placement") + "): " + numbers
	if len(t.clusters) > 0 {
		text += ", on " + model.Few(slices.Sorted(maps.Keys(t.clusters)), model.Name)
	}
	if n := len(t.unchecked); n > 0 {
		text += fmt.Sprintf("; %s NOT CHECKED", words.Count(n, "cluster"))
	}
	return text
}

// Sum adds a warning that counts the changes of all placements of a run in one line, if a person has to weigh more than one placement. For a
// single placement, its own warning has the same numbers. Terraform may show the warning at a placement that is not counted, so the text names the
// counted placements.
func Sum(diags *diag.Diagnostics, total Total) {
	if len(total.weighed) > 1 {
		names := model.Names(slices.Sorted(maps.Keys(total.placements)))
		diags.AddAttributeWarning(path.Root("name"), total.String(),
			"Placements: "+words.List(names, maxNamed)+". This warning covers all of them; Terraform shows it at the placement that was planned last.")
	}
}
