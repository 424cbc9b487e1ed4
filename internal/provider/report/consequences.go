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

// Consequences warns about the effects of a change on existing placements, which a hub makes as soon as the change is written. what names the changed object,
// such as an envelope. The warning lists the objects that the hub takes over, deletes or recreates, the objects that remain on a member that leaves, and the
// placements and clusters that could not be checked. If required is true, the latter make it an error. Creations and updates are not listed: the plan of a
// placement shows them.
func Consequences(diags *diag.Diagnostics, what string, found []engine.Consequence, required bool) {
	counted, clusters := map[takeover.Action]int{}, 0
	var sections, unchecked []*plain.Section
	for _, c := range found {
		title := fmt.Sprintf("Placement %q", model.Name(c.Placement))
		if c.Placement == engine.HostNamespaces {
			title = "Namespaces that KubeAdmiral places on every member"
		}
		if c.Err != nil {
			unchecked = append(unchecked, &plain.Section{
				Title: title + " could not be checked:", Unit: "line", Reserve: 3, Blocks: [][]string{{"  " + model.Message(c.Err.Error())}},
			})
			continue
		}
		section, offline := listConsequence(Plan{}.report(c.Preview), title, counted)
		if clusters += offline; len(section.Blocks) > 0 {
			sections = append(sections, section)
		}
	}
	if len(sections)+len(unchecked) == 0 {
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
	if !plain.Fit(slices.Concat(sections, unchecked)...) {
		sections, unchecked = listPlacements(sections), listPlacements(unchecked)
	}
	summary, detail := fmt.Sprintf("The hub acts on %s immediately: %s", what, strings.Join(counts, ", ")), plain.Layout(slices.Concat(sections, unchecked)...)
	if stops {
		diags.AddAttributeError(path.Root("name"), summary, "The provider argument preview is \"Required\", so the plan stops here."+HoldsUpDestroy+"\n\n"+detail)
		return
	}
	diags.AddAttributeWarning(path.Root("name"), summary, "The hub changes these placements as soon as the change is written, before any of them is applied. "+
		"The apply stops before that write if the hub would take over, delete or recreate any other object.\n\n"+detail)
}

const notChecked = "  NOT CHECKED: "

// listConsequence returns a section about the objects of one placement and the clusters that could not be checked, and the number of these clusters. It adds the
// numbers of objects to counted.
func listConsequence(r *model.Report, title string, counted map[takeover.Action]int) (section *plain.Section, offline int) {
	section = &plain.Section{Title: title + ":", Unit: "object", Reserve: 8}
	for _, shown := range consequences {
		for _, o := range r.Rows[shown.action] {
			if shown.action == takeover.ActionOrphan && o.Obstacle != takeover.ObstacleLeft {
				continue // only objects that remain on a member that leaves are shown
			}
			counted[shown.action] += len(o.Clusters)
			section.Add(prefixed(shown.verb, plain.Block(o))...)
		}
	}
	for _, cluster := range r.Clusters {
		if cluster.Err != "" {
			offline++
			section.Add(notChecked + cluster.Name + ": " + cluster.Err)
		}
	}
	return section, offline
}

// listPlacements returns a section with a line for each placement, which has the first of its objects. Placements with deletions are first.
func listPlacements(sections []*plain.Section) []*plain.Section {
	out := &plain.Section{Unit: "placement", Reserve: plain.MaxLines / 2}
	for _, deletes := range []bool{true, false} {
		for _, s := range sections {
			i := slices.IndexFunc(s.Blocks, func(lines []string) bool { return strings.HasPrefix(lines[0], "  DELETED") })
			if i >= 0 != deletes {
				continue
			}
			line := s.Title + " " + strings.TrimSpace(s.Blocks[max(i, 0)][0])
			var offline []string
			for _, lines := range s.Blocks {
				if strings.HasPrefix(lines[0], notChecked) && lines[0] != s.Blocks[0][0] {
					offline = append(offline, lines[0])
				}
			}
			if more := len(s.Blocks) - len(offline) - 1; more > 0 {
				line += ", and " + words.Count(more, "more object")
			}
			out.Add(append([]string{line}, offline...)...)
		}
	}
	return []*plain.Section{out}
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
