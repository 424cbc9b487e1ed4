package report

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

// Overriding describes a changed override, without its effects.
type Overriding struct {
	// What names the override for the user: ResourceOverride shop/web.
	What string
	// ByHub reports that a hub makes the changes as soon as the override is written, and that other texts show which objects it deletes.
	ByHub bool
	// Removed reports that the override is removed.
	Removed bool
	// Shown reports that the plan shows the changes which [Overridden] returns. Otherwise they are a part of its warning.
	Shown bool
	// Planned reports whether a placement was planned before the override. If Planned is nil, the order does not matter.
	Planned func(placement string) bool
}

// Overridden reports how a changed override changes the objects of existing placements. It returns the changes: a line that counts the objects, and lines for
// each object and its fields. It adds a warning about the placements to which the override cannot be applied, about what could not be checked, and about the
// placements whose plans do not show the changes.
func Overridden(diags *diag.Diagnostics, o Overriding, found engine.OverridePreview) (changes string) {
	r := overriddenReview{Overriding: o, changed: &plain.Section{Unit: "line"}, clusters: map[string]bool{}}
	for _, p := range found.Placements {
		r.add(p)
	}
	for _, m := range found.Missed {
		r.missed.AddCluster(m.Cluster, m.Err.Error())
	}
	changes = r.changes()
	if sections := r.sections(changes); len(sections) > 0 {
		// The warning is at the name, because Terraform prints the configuration of the attribute, and the policy contains values.
		diags.AddAttributeWarning(path.Root("name"), o.What+": "+strings.Join(r.counts(), ", "), plain.Layout(sections...))
	}
	return changes
}

type overriddenReview struct {
	Overriding
	changed *plain.Section
	objects int
	// clusters are the clusters with a changed object.
	clusters map[string]bool
	// failed are the placements that could not be compared. refused are the placements and clusters to which the override cannot be applied. missed are the
	// clusters that could not be read. early are the placements that were planned before the override.
	failed, refused, missed plain.Groups
	early                   []string
}

func (r *overriddenReview) add(p engine.OverriddenPlacement) {
	title := fmt.Sprintf("%q", model.Name(p.Placement))
	if p.Err != nil {
		r.failed.AddCluster(title, p.Err.Error())
		return
	}
	changes := overriddenOf(p, r.ByHub)
	if len(changes) > 0 {
		r.changed.Add("placement " + title + ":")
		if r.Planned != nil && r.Planned(p.Placement) {
			r.early = append(r.early, title)
		}
	}
	for _, one := range changes {
		r.objects++
		for _, name := range one.clusters {
			r.clusters[name] = true
		}
		r.changed.Add(plain.Indented("  ", one.lines())...)
	}
	for _, cluster := range p.Clusters {
		if cluster.Err != nil {
			r.refused.AddCluster(title+" on "+cluster.Name, model.Impersonal(cluster.Err.Error(), cluster.Name))
		}
	}
}

func (r *overriddenReview) size() string {
	return fmt.Sprintf("%s on %s", words.Count(r.objects, "object"), words.Count(len(r.clusters), "cluster"))
}

func (r *overriddenReview) changes() string {
	if r.objects == 0 {
		return ""
	}
	when := "when their placements are applied"
	if r.ByHub {
		when = "as soon as the hub has the override (predicted)"
	}
	out := &plain.Section{Unit: "line", Blocks: append([][]string{{fmt.Sprintf("%s to change on %s %s", words.Count(r.objects, "object"), words.Count(len(r.clusters), "cluster"), when)}}, r.changed.Blocks...)}
	return out.Changes()
}

func (r *overriddenReview) counts() []string {
	var out []string
	if r.objects > 0 {
		out = append(out, "changes "+r.size())
	}
	if n := r.refused.Size(); n > 0 {
		out = append(out, fmt.Sprintf("cannot be applied in %s", words.Count(n, "case")))
	}
	if n := len(r.early); n > 0 {
		out = append(out, fmt.Sprintf("not in the plan of %s", words.Count(n, "placement")))
	}
	if n := r.failed.Size(); n > 0 {
		out = append(out, words.Count(n, "placement")+" not checked")
	}
	if n := r.missed.Size(); n > 0 {
		out = append(out, words.Count(n, "cluster")+" not checked")
	}
	return out
}

func (r *overriddenReview) sections(changes string) []*plain.Section {
	var out []*plain.Section
	if !r.Shown && changes != "" {
		out = append(out, &plain.Section{Unit: "text", Reserve: plain.MaxChanges + 1, Blocks: [][]string{strings.Split(changes, "\n")}})
	}
	if len(r.early) > 0 {
		remedy := "Add the override to depends_on of these placements."
		if r.Removed {
			remedy = "Plan and apply again after this apply."
		}
		out = append(out, &plain.Section{
			Title: "Terraform planned these placements before the override. Their plans and applies may not include the change:", Reserve: 3,
			Blocks: [][]string{plain.Flow(" ", "  ", r.early)}, Tail: []string{"  " + remedy},
		})
	}
	for _, one := range []struct {
		title string
		texts plain.Groups
	}{{"Cannot be applied to these placements:", r.refused}, {"Placements that could not be checked:", r.failed}, {"Clusters that could not be checked:", r.missed}} {
		if len(one.texts.Texts) > 0 {
			section := &plain.Section{Title: one.title, Unit: "line", Reserve: 3}
			one.texts.Lines(section, "  ", model.MaxClusters)
			out = append(out, section)
		}
	}
	return out
}

// overridden is an object that changes in the same way on all of its clusters.
type overridden struct {
	object   engine.OverriddenObject
	clusters []string
}

// overriddenOf returns the changed objects of a placement, each once for all clusters on which the same fields change. If byHub is true, it
// omits the objects that a hub no longer places or places again: package consequences reports their deletions and takeovers.
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
			one.clusters = append(one.clusters, model.Name(cluster.Name))
		}
	}
	return out
}

func (o *overridden) lines() []string {
	head := model.Name(o.object.Identifier.String()) + " on " + words.List(o.clusters, model.MaxClusters) + ":"
	switch fields := overriddenFields(o.object.Differences); {
	case o.object.LeftOut:
		return []string{head + " NO LONGER PLACED"}
	case o.object.Placed:
		return []string{head + " placed again"}
	case len(fields) == 1:
		return []string{head + " " + fields[0]}
	default:
		return append([]string{head}, plain.Indented("  ", fields)...)
	}
}

func overriddenFields(differences []diff.Difference) []string {
	return plain.Fields(model.Fields(differences, ""))
}
