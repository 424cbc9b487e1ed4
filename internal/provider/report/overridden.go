package report

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// Overriding is what a plan knows of a changed override besides what it changes.
type Overriding struct {
	// What names the override for the user: ResourceOverride shop/web.
	What string
	// ByHub reports that a hub makes the changes as soon as the override is written, and that other texts show which objects it deletes.
	ByHub bool
	// Removed reports that the override is removed.
	Removed bool
	// Shown reports that the plan shows the changes which [Overridden] returns. Otherwise they are a part of its warning.
	Shown bool
	// Planned reports whether a placement was planned before the override; nil if it does not matter.
	Planned func(placement string) bool
}

// Overridden reports what changes of existing placements because of an override. It returns the changes: a line that counts the objects, and a line for each
// field. It adds a warning with the objects that cannot be overridden, with what could not be checked, and with the placements whose plans do not show the
// changes.
func Overridden(diags *diag.Diagnostics, o Overriding, found engine.OverridePreview) (changes string) {
	r := overriddenReview{Overriding: o, changed: &section{what: "line"}, clusters: map[string]bool{}}
	for _, p := range found.Placements {
		r.add(p)
	}
	for _, m := range found.Missed {
		r.missed.add(m.Cluster, m.Err.Error())
	}
	changes = r.changes()
	if sections := r.sections(changes); len(sections) > 0 { // at the name: of a warning, Terraform prints the lines of the configuration, and the policy has values
		diags.AddAttributeWarning(path.Root("name"), o.What+": "+strings.Join(r.counts(), ", "), layout(sections))
	}
	return changes
}

// overriddenReview collects what [Overridden] reports.
type overriddenReview struct {
	Overriding
	// changed has a block for each object.
	changed *section
	objects int
	// clusters are those with a changed object.
	clusters map[string]bool
	// failed are the placements that could not be compared, refused those to which the override cannot be applied, with the clusters, missed the clusters that
	// could not be read, and early the placements that were planned before the override.
	failed, refused, missed byText
	early                   []string
}

func (r *overriddenReview) add(p engine.OverriddenPlacement) {
	title := fmt.Sprintf("%q", plain(p.Placement, maxName))
	if p.Err != nil {
		r.failed.add(title, p.Err.Error())
		return
	}
	changes := overriddenOf(p, r.ByHub)
	if len(changes) > 0 {
		r.changed.add("placement " + title + ":")
		if r.Planned != nil && r.Planned(p.Placement) {
			r.early = append(r.early, title)
		}
	}
	for _, one := range changes {
		r.objects++
		for _, name := range one.clusters {
			r.clusters[name] = true
		}
		r.changed.add(indented("  ", one.lines())...)
	}
	for _, cluster := range p.Clusters {
		if cluster.Err != nil {
			r.refused.add(title+" on "+cluster.Name, impersonal(cluster.Err.Error(), cluster.Name))
		}
	}
}

// size returns how many objects change on how many clusters.
func (r *overriddenReview) size() string {
	return fmt.Sprintf("%s on %s", words.Count(r.objects, "object"), words.Count(len(r.clusters), "cluster"))
}

// changes returns the text of the changes; empty for none.
func (r *overriddenReview) changes() string {
	if r.objects == 0 {
		return ""
	}
	when := "when their placements are applied"
	if r.ByHub {
		when = "as soon as the hub has the override (predicted)"
	}
	out := &section{what: "line", blocks: append([][]string{{fmt.Sprintf("%s to change on %s %s", words.Count(r.objects, "object"), words.Count(len(r.clusters), "cluster"), when)}}, r.changed.blocks...)}
	return out.changeText()
}

// counts are the parts of the summary.
func (r *overriddenReview) counts() []string {
	var out []string
	if r.objects > 0 {
		out = append(out, "changes "+r.size())
	}
	if n := r.refused.size(); n > 0 {
		out = append(out, fmt.Sprintf("cannot be applied in %s", words.Count(n, "case")))
	}
	if n := len(r.early); n > 0 {
		out = append(out, fmt.Sprintf("not in the plan of %s", words.Count(n, "placement")))
	}
	if n := r.failed.size(); n > 0 {
		out = append(out, words.Count(n, "placement")+" not checked")
	}
	if n := r.missed.size(); n > 0 {
		out = append(out, words.Count(n, "cluster")+" not checked")
	}
	return out
}

// sections returns the sections of the warning.
func (r *overriddenReview) sections(changes string) []*section {
	var out []*section
	if !r.Shown && changes != "" {
		out = append(out, &section{what: "text", reserve: maxChangeLines + 1, blocks: [][]string{strings.Split(changes, "\n")}})
	}
	if len(r.early) > 0 {
		remedy := "Add the override to depends_on of these placements."
		if r.Removed {
			remedy = "Plan and apply again after this apply."
		}
		out = append(out, &section{
			title: "Terraform planned these placements before the override. Their plans and applies may not include the change:", reserve: 3,
			blocks: [][]string{flow(" ", "  ", r.early)}, tail: []string{"  " + remedy},
		})
	}
	for _, one := range []struct {
		title string
		texts byText
	}{{"Cannot be applied to these placements:", r.refused}, {"Placements that could not be checked:", r.failed}, {"Clusters that could not be checked:", r.missed}} {
		if one.texts.any() {
			section := &section{title: one.title, what: "line", reserve: 3}
			one.texts.lines(section, "  ", maxClusters)
			out = append(out, section)
		}
	}
	return out
}

// overridden is an object that changes alike on all of these clusters.
type overridden struct {
	object   engine.OverriddenObject
	clusters []string
}

// overriddenOf returns the changed objects of a placement, each once for all clusters on which the same fields change. Package consequences reports the
// objects that a hub no longer places or places again.
func overriddenOf(p engine.OverriddenPlacement, byHub bool) (out []*overridden) {
	known := map[string]*overridden{}
	for _, cluster := range p.Clusters {
		for _, o := range cluster.Objects {
			if byHub && (o.LeftOut || o.Placed) {
				continue
			}
			key := fmt.Sprintf("%v %v %v %v", o.Key(), o.LeftOut, o.Placed, overriddenFields(o.Differences))
			one := known[key]
			if one == nil {
				one = &overridden{object: o}
				known[key], out = one, append(out, one)
			}
			one.clusters = append(one.clusters, plain(cluster.Name, maxName))
		}
	}
	return out
}

func (o *overridden) lines() []string {
	head := plain(o.object.Identifier.String(), maxName) + " on " + words.List(o.clusters, maxClusters) + ":"
	switch fields := overriddenFields(o.object.Differences); {
	case o.object.LeftOut:
		return []string{head + " NO LONGER PLACED"}
	case o.object.Placed:
		return []string{head + " placed again"}
	case len(fields) == 1:
		return []string{head + " " + fields[0]}
	default:
		return append([]string{head}, indented("  ", fields)...)
	}
}

// overriddenFields are the differences as texts, of many the first ones.
func overriddenFields(differences []diff.Difference) []string {
	return (&finding{object: engine.ObjectPreview{Differences: differences}}).fieldTexts()
}
