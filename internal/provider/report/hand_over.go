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

// takenFromSection lists the objects that other placements hand over to this one.
func takenFromSection(found []*finding) *section {
	one := common(found, (*finding).from)
	out := &section{title: "Taken over from other placements, and neither deleted nor recreated:", what: "object", reserve: 8}
	if one != "" {
		out.title = fmt.Sprintf("Taken over from placement %q, and neither deleted nor recreated:", one)
	}
	for _, f := range found {
		line := f.onClusters() + f.preExisting()
		if one == "" {
			line += fmt.Sprintf(", from placement %q", f.from())
		}
		if f.object.RemainsDrifted() { // another section has the fields
			out.add(line)
			continue
		}
		out.add(append([]string{clauses(line, f.restart())}, f.fields()...)...)
	}
	if slices.ContainsFunc(found, func(f *finding) bool { return f.object.Given.Created }) {
		out.tail = []string{"  The removal of this placement deletes them, except pre-existing ones."}
	}
	return out
}

// notUpdated returns the objects that remain drifted: those of the placement, and those that other placements hand over to it.
func notUpdated(found map[takeover.Action][]*finding) []*finding {
	out := slices.Clone(found[takeover.ActionLeaveDrifted])
	for _, f := range found[takeover.ActionTakeOverFrom] {
		if f.object.RemainsDrifted() {
			out = append(out, f)
		}
	}
	return out
}

// handedOverSection lists the objects that this placement hands over to others.
func handedOverSection(found []*finding) *section {
	one := common(found, (*finding).to)
	out := &section{title: "Handed over to other placements, and not deleted:", what: "object", reserve: 8}
	if one != "" {
		out.title = fmt.Sprintf("Handed over to placement %q, and not deleted:", one)
	}
	for _, f := range found {
		lines := []string{f.onClusters()}
		if one == "" {
			lines[0] += fmt.Sprintf(", to placement %q", f.to())
		}
		if f.object.Problem != "" {
			lines = append(lines, "      "+plain(f.object.Problem, maxMessage)+"; it stays until a later apply")
		}
		out.add(lines...)
	}
	return out
}

// common is what a function returns for all findings, "" if they differ.
func common(found []*finding, of func(*finding) string) string {
	if len(found) == 0 || slices.ContainsFunc(found, func(f *finding) bool { return of(f) != of(found[0]) }) {
		return ""
	}
	return of(found[0])
}

// from is the placement that hands the object over, to the one that it is handed over to.
func (f *finding) from() string { return plain(f.object.Given.From, maxName) }
func (f *finding) to() string   { return plain(f.object.To, maxName) }

// preExisting marks an object that the former owner has taken over itself; empty for others.
func (f *finding) preExisting() string {
	if f.object.Given.Created {
		return ""
	}
	return " (pre-existing)"
}

// onClusters names the object and the clusters, without the owner.
func (f *finding) onClusters() string {
	return "  " + f.title() + " on " + words.List(f.clusters, maxClusters)
}

// takenFromTable lists the objects that other placements hand over to this one.
func takenFromTable(found []*finding) *table {
	out := &table{
		title: "Objects that are taken over from other placements", intro: "They are neither deleted nor recreated.",
		head: []string{"Object", "On", "From", "Differs in"}, reserve: 6000,
	}
	for _, f := range found {
		from := code(f.from())
		if !f.object.Given.Created {
			from += ", pre-existing"
		}
		out.row(len(f.clusters), f.cell(), f.where(), from, f.differing())
	}
	return fold(out)
}

// handedOverCell names the placement that an object is handed over to, and what may delay it.
func (f *finding) handedOverCell() string {
	what := "handed over to placement " + code(f.to()) + ", not deleted"
	if f.object.Problem != "" {
		what += ": " + code(plain(f.object.Problem, maxMessage))
	}
	return what
}

// handOverNotes are what there is to know of the placements that objects are taken over from.
func handOverNotes(preview *engine.Preview) []string {
	var out []string
	if len(preview.MissingGivers) > 0 {
		where := "No checked cluster has a record of"
		if preview.Predicted {
			where = "The hub has nothing of"
		}
		out = append(out, fmt.Sprintf("%s %s, which takes_over_from or takes_over_from_removed names.", where, placementList(preview.MissingGivers)))
	}
	for _, name := range removedGivers(preview) {
		if preview.Predicted { // a hub has the placement itself, and no records that would have to be verified
			break
		}
		out = append(out, fmt.Sprintf("The records of placement %[1]q are used without verification, because no resource of this configuration has their key. Check first that "+
			"the objects which this plan takes over belong to %[1]q. If the state still has the resource of %[1]q, you can have the records verified instead: keep the resource with "+
			"count = 0 and depends_on, and name %[1]q in takes_over_from.", plain(name, maxName)))
	}
	left := map[string][]string{}
	for _, r := range preview.Remaining {
		left[r.From] = append(left[r.From], r.String()+" on "+r.Cluster)
	}
	stays := "stays on the clusters, and no placement manages it"
	if preview.Predicted {
		stays = "stays with it on the hub and on the clusters"
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		out = append(out, fmt.Sprintf("What placement %q has and this one does not place %s: %s.", plain(name, maxName), stays,
			plain(words.List(left[name], maxClusters), maxMessage)))
	}
	return out
}

// removedGivers are the removed placements that objects are taken over from.
func removedGivers(preview *engine.Preview) []string {
	found := map[string]bool{}
	for _, cluster := range preview.Clusters {
		for _, o := range cluster.Objects {
			if o.Action == takeover.ActionTakeOverFrom && o.Given.Removed {
				found[o.Given.From] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// placementList names placements.
func placementList(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", plain(name, maxName))
	}
	return "placement " + strings.Join(quoted, ", placement ")
}

// resourceType returns the type of the resource that manages a placement.
func resourceType(placement string) string {
	if engine.ParseReference(placement).Namespace != "" {
		return "fleet_resource_placement"
	}
	return "fleet_crp"
}

// dependsOn says what to write in the resource of a giver, so that Terraform plans the taker first. A text before it names that resource.
func dependsOn(taker, giver string) string {
	return fmt.Sprintf("\n\n  depends_on = [%s.NAME]\n\nNAME is the name of the resource of placement %q. That resource must not refer to the resource of placement %q.",
		resourceType(taker), taker, giver)
}

// keepsGiver says the same for a giver that is to be destroyed, whose resource stays in the configuration for the hand-over.
func keepsGiver(taker string) string {
	return fmt.Sprintf("\n\n  count      = 0\n  depends_on = [%s.NAME]\n\nNAME is the name of the resource of placement %q. If the resource has other instances, remove only this one "+
		"from count or for_each. Terraform plans the instances of one resource in any order: if both placements are instances of the same resource, give one of them a resource "+
		"of its own.", resourceType(taker), taker)
}

// Loss is what one placement of a run deletes while another one lists it without taking it over.
type Loss struct {
	Giver, Taker string
	// Removal reports that the giver is destroyed.
	Removal bool
	// Renames reports that the taker may be the giver under another name, and that the engine renames placements in place.
	Renames bool
	// Unchanged reports that the taker lists the objects already and does not change in the run: they belonged to the giver before.
	Unchanged bool
	Objects   []engine.Overlap
}

// Lost adds an error for a loss, or a warning if the taker does not change: what is deleted is then what the user removes, and not what the user moves.
func Lost(diags *diag.Diagnostics, loss Loss) {
	taker, giver := plain(loss.Taker, maxName), plain(loss.Giver, maxName)
	title := fmt.Sprintf("Placement %q deletes objects that %q lists", giver, taker)
	text := fmt.Sprintf("These objects belong to %q: %s. In this run, %q deletes them and %q, which lists them as well, does not take them over. They would be missing until a "+
		"later apply recreates them.", giver, overlapping(loss.Objects), giver, taker)
	if !loss.Unchanged {
		text += " Nothing is applied."
	}
	if loss.Removal && loss.Renames {
		text += fmt.Sprintf("\n\nIf only the address or the for_each key of the resource has changed, add a moved block. The apply then renames placement %q in place.", giver)
	}
	text += fmt.Sprintf("\n\nTo hand the objects over without deleting them, add to the resource of placement %q:\n\n  takes_over_from = [%q]\n\n", taker, giver)
	if loss.Removal {
		text += fmt.Sprintf("Until this is applied, keep the resource of placement %q in the configuration, with:", giver) + keepsGiver(taker)
	} else {
		text += fmt.Sprintf("Add to the resource of placement %q:", giver) + dependsOn(taker, giver)
	}
	if loss.Unchanged {
		diags.AddAttributeWarning(path.Root("name"), title, text)
		return
	}
	diags.AddAttributeError(path.Root("name"), title, text+fmt.Sprintf("\n\nTo delete and recreate them, remove them from placement %q for one apply.", taker)+HoldsUpDestroy)
}

// PlannedBefore adds an error for a giver that was planned before the taker: its plan could not show what it hands over. overlaps are the objects that the giver
// goes on to place.
func PlannedBefore(diags *diag.Diagnostics, taker, giver string, removal bool, overlaps []engine.Overlap) {
	taker, giver = plain(taker, maxName), plain(giver, maxName)
	if len(overlaps) > 0 && !removal {
		StillPlaced(diags, taker, giver, overlaps)
		return
	}
	text := fmt.Sprintf("takes_over_from of placement %q names %q, which Terraform has planned before it. The plan of %q therefore deletes or keeps objects that %q takes over. "+
		"Nothing is applied. ", taker, giver, giver, taker)
	if removal {
		text += fmt.Sprintf("The resource of placement %q is not in the configuration any more, and Terraform plans its destruction in any order. Keep the resource in the "+
			"configuration until this is applied, with:", giver) + keepsGiver(taker)
	} else {
		text += fmt.Sprintf("So that Terraform plans %q first, add to the resource of placement %q:", taker, giver) + dependsOn(taker, giver)
	}
	diags.AddAttributeError(path.Root("name"), fmt.Sprintf("Placement %q was planned before %q, which takes objects over from it", giver, taker),
		text+HoldsUpDestroy)
}

// StillPlaced adds an error for objects that a placement takes over from another one that goes on to place them.
func StillPlaced(diags *diag.Diagnostics, taker, giver string, overlaps []engine.Overlap) {
	taker, giver = plain(taker, maxName), plain(giver, maxName)
	diags.AddAttributeError(path.Root("name"), fmt.Sprintf("Placement %q takes over objects that %q places as well", taker, giver), fmt.Sprintf(
		"An object has one placement. Placement %q takes over from %q (takes_over_from), and both place: %s. Remove the objects from %q, or from %q.",
		taker, giver, overlapping(overlaps), giver, taker)+HoldsUpDestroy)
}

// overlapping lists objects with their clusters.
func overlapping(overlaps []engine.Overlap) string {
	var on alikeNames
	var names []string
	for _, o := range overlaps {
		on.add(o.Object.String(), o.Cluster)
	}
	for _, object := range on.order {
		names = append(names, object+" on "+words.List(on.of[object], maxClusters))
	}
	return plain(words.List(names, maxClusters), maxMessage)
}

// TakenTwice adds an error for objects that two placements take over from the same one.
func TakenTwice(diags *diag.Diagnostics, taker, other, giver string, overlaps []engine.Overlap) {
	taker, other, giver = plain(taker, maxName), plain(other, maxName), plain(giver, maxName)
	diags.AddAttributeError(path.Root("takes_over_from"), fmt.Sprintf("Placements %q and %q take over the same objects", other, taker), fmt.Sprintf(
		"An object has one placement. Both placements name %q in takes_over_from, and both place: %s. Remove the objects from one of the two.",
		giver, overlapping(overlaps))+HoldsUpDestroy)
}

// NotRemoved adds an error for a placement that takes_over_from_removed names and that a resource of the run manages.
func NotRemoved(diags *diag.Diagnostics, taker, giver string) {
	taker, giver = plain(taker, maxName), plain(giver, maxName)
	diags.AddAttributeError(path.Root("name"), fmt.Sprintf("Placement %q is not removed from the state", giver), fmt.Sprintf(
		"takes_over_from_removed of placement %q names %q, and a resource of this configuration manages or destroys that placement. %q would change its records, "+
			"which then no longer verify. If the resource stays in the configuration, name the placement in takes_over_from. Otherwise remove the resource from the state with a removed block with destroy = "+
			"false.", taker, giver, taker)+
		HoldsUpDestroy)
}

// RenamedGiver adds an error for a placement that is renamed in the run in which another one takes objects over from it.
func RenamedGiver(diags *diag.Diagnostics, taker, former, name string) {
	taker, former, name = plain(taker, maxName), plain(former, maxName), plain(name, maxName)
	diags.AddAttributeError(path.Root("name"), fmt.Sprintf("Placement %q is renamed while %q takes objects over from it", former, taker), fmt.Sprintf(
		"This run renames the placement %q to %q, and placement %q takes objects over from it. The records on the clusters have the former name until the rename is "+
			"applied. Apply the rename first, and hand the objects over in a second apply, with %q in takes_over_from.", former, name, taker, name)+HoldsUpDestroy)
}
