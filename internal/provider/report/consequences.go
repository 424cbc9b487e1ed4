package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

// Consequences warns about the changes that a hub makes to existing placements as soon as another object, such as an envelope, is written. what names that
// object. The warning lists the objects that the hub takes over, deletes or recreates, the objects that remain on a member that leaves, and the placements,
// clusters and deletions that could not be checked. If required is true and a placement or cluster could not be checked, Consequences adds an error instead.
// Creations and updates are not listed: the plan of a placement shows them.
func Consequences(diags *diag.Diagnostics, what string, found []engine.Consequence, required bool) {
	counted, clusters := map[takeover.Action]int{}, 0
	var changed, unchecked []affected
	for _, c := range found {
		title := fmt.Sprintf("Placement %q", model.Name(c.Placement))
		if c.Placement == engine.HostNamespaces {
			title = "Namespaces that KubeAdmiral places on every member"
		}
		if c.Err != nil {
			unchecked = append(unchecked, affected{title: title + " could not be checked:", offline: []string{"  " + model.Message(c.Err.Error())}})
			continue
		}
		a := newAffected(Plan{}.report(c.Preview), title+":", counted)
		if clusters += len(a.offline); len(a.objects)+len(a.offline) > 0 {
			changed = append(changed, a)
		}
	}
	if len(changed)+len(unchecked) == 0 {
		return
	}
	var counts []string
	for _, shown := range consequences {
		if n := counted[shown.action]; n > 0 {
			counts = append(counts, words.Count(n, "object")+" "+shown.summary)
		}
	}
	if len(unchecked) > 0 {
		counts = append(counts, words.Count(len(unchecked), "placement")+" not checked")
	}
	if clusters > 0 {
		counts = append(counts, words.Count(clusters, "cluster")+" not checked")
	}
	stops := required && len(unchecked)+clusters > 0
	summary, detail := fmt.Sprintf("The hub acts on %s immediately: %s", what, strings.Join(counts, ", ")), layOut(changed, unchecked)
	if stops {
		diags.AddAttributeError(path.Root("name"), summary, "The provider argument preview is \"Required\", so the plan stops here."+HoldsUpDestroy+"\n\n"+detail)
		return
	}
	diags.AddAttributeWarning(path.Root("name"), summary, "The hub changes these placements as soon as the change is written, before any of them is applied. "+
		"The apply stops before that write if the hub would take over, delete or recreate any other object.\n\n"+detail)
}

// affected is a placement that the hub changes or that could not be checked.
type affected struct {
	title   string
	objects []affectedObject
	// offline has a line for each cluster that could not be checked, or the error of the placement.
	offline []string
}

type affectedObject struct {
	lines   []string
	deleted bool
}

// newAffected returns the objects of one placement and the clusters that could not be checked. It adds the numbers of objects by action to counted.
func newAffected(r *model.Report, title string, counted map[takeover.Action]int) affected {
	out := affected{title: title}
	for _, shown := range consequences {
		for _, o := range r.Rows[shown.action] {
			if shown.action == takeover.ActionOrphan && o.Obstacle != takeover.ObstacleLeft {
				continue // only objects that remain on a member that leaves are shown
			}
			counted[shown.action] += len(o.Clusters)
			deleted := shown.action == takeover.ActionReplace || shown.action == takeover.ActionPrune
			out.objects = append(out.objects, affectedObject{prefixed(shown.verb, plain.Block(o)), deleted})
		}
	}
	for _, cluster := range r.Clusters {
		if cluster.Err != "" {
			out.offline = append(out.offline, "  NOT CHECKED: "+cluster.Name+": "+cluster.Err)
		}
	}
	return out
}

// layOut returns the text about placements. If it would be too long, each placement has only one object.
func layOut(changed, unchecked []affected) string {
	var sections []*plain.Section
	for _, a := range changed {
		sections = append(sections, a.section("object", 8))
	}
	for _, a := range unchecked {
		sections = append(sections, a.section("line", 3))
	}
	if plain.Fit(sections...) {
		return plain.Layout(sections...)
	}
	return plain.Layout(listPlacements(changed), listPlacements(unchecked))
}

func (a affected) section(unit string, reserve int) *plain.Section {
	out := &plain.Section{Title: a.title, Unit: unit, Reserve: reserve}
	for _, o := range a.objects {
		out.Add(o.lines...)
	}
	for _, line := range a.offline {
		out.Add(line)
	}
	return out
}

// firstDeleted returns the index of the first deleted object, or -1.
func (a affected) firstDeleted() int {
	return slices.IndexFunc(a.objects, func(o affectedObject) bool { return o.deleted })
}

// summary returns a line with one object, a deleted one if there is any, and the lines of the clusters that could not be checked. If there is no object, the
// first of these clusters is in the line with the title.
func (a affected) summary() []string {
	if len(a.objects) == 0 {
		return append([]string{a.title + " " + strings.TrimSpace(a.offline[0])}, a.offline[1:]...)
	}
	line := a.title + " " + strings.TrimSpace(a.objects[max(a.firstDeleted(), 0)].lines[0])
	if more := len(a.objects) - 1; more > 0 {
		line += ", and " + words.Count(more, "more object")
	}
	return append([]string{line}, a.offline...)
}

// listPlacements returns a section with a summary of each placement. Placements with deletions are first.
func listPlacements(all []affected) *plain.Section {
	out := &plain.Section{Unit: "placement", Reserve: plain.MaxLines / 2}
	for _, deletes := range []bool{true, false} {
		for _, a := range all {
			if (a.firstDeleted() >= 0) == deletes {
				out.Add(a.summary()...)
			}
		}
	}
	return out
}

var consequences = []struct {
	action        takeover.Action
	verb, summary string
}{
	{takeover.ActionTakeOver, "taken over: ", "taken over"},
	{takeover.ActionReplace, "DELETED and recreated: ", "deleted and recreated"},
	{takeover.ActionPrune, "DELETED: ", "deleted"},
	{takeover.ActionOrphan, "left on the cluster: ", "left on the cluster"},
	{takeover.ActionUnknown, "to be deleted, but could not be checked: ", "that could not be checked"},
}

func prefixed(verb string, lines []string) []string {
	return append([]string{"  " + verb + strings.TrimLeft(lines[0], " ")}, lines[1:]...)
}
