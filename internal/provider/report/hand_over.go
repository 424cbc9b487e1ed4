package report

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

// dependsOn returns the lines to add to the resource of the giver, the placement that has the objects. With these lines, Terraform plans the taker first. The
// text before the lines must name the giver's resource.
func dependsOn(taker, giver string) string {
	return fmt.Sprintf("\n\n  depends_on = [%s.NAME]\n\nNAME is the name of the resource of placement %q. That resource must not refer to the resource of placement %q.",
		resourceType(taker), taker, giver)
}

// keepsGiver is like dependsOn, for a giver that is to be destroyed. The giver's resource remains in the configuration until the hand-over is applied.
func keepsGiver(taker string) string {
	return fmt.Sprintf("\n\n  count      = 0\n  depends_on = [%s.NAME]\n\nNAME is the name of the resource of placement %q. If the resource has other instances, remove only this one "+
		"from count or for_each. Terraform plans the instances of one resource in any order: if both placements are instances of the same resource, give one of them a resource "+
		"of its own.", resourceType(taker), taker)
}

// Loss is a set of objects that one placement of a run deletes, although another placement lists them without taking them over.
type Loss struct {
	Giver, Taker string
	// Removal reports that the giver is destroyed.
	Removal bool
	// Renames reports that the taker may be the giver under another name, and that the engine renames placements in place.
	Renames bool
	// Unchanged reports that the taker does not change in the run: it listed the objects already while they belonged to the giver.
	Unchanged bool
	Objects   []engine.Overlap
}

// Lost adds an error for a loss. It adds a warning instead if the taker does not change in the run, because the user then does not move the objects to it.
func Lost(diags *diag.Diagnostics, loss Loss) {
	taker, giver := model.Name(loss.Taker), model.Name(loss.Giver)
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

// PlannedBefore adds an error for a giver that was planned before the taker, so that the plan of the giver does not show the hand-over. removal reports
// whether the giver is destroyed. overlaps are the objects that the giver still places. If there are overlaps and the giver is not destroyed, the error is that
// of [StillPlaced].
func PlannedBefore(diags *diag.Diagnostics, taker, giver string, removal bool, overlaps []engine.Overlap) {
	taker, giver = model.Name(taker), model.Name(giver)
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

// StillPlaced adds an error for objects that a placement takes over from another one that still places them.
func StillPlaced(diags *diag.Diagnostics, taker, giver string, overlaps []engine.Overlap) {
	taker, giver = model.Name(taker), model.Name(giver)
	diags.AddAttributeError(path.Root("name"), fmt.Sprintf("Placement %q takes over objects that %q places as well", taker, giver), fmt.Sprintf(
		"An object has one placement. Placement %q takes over from %q (takes_over_from), and both place: %s. Remove the objects from %q, or from %q.",
		taker, giver, overlapping(overlaps), giver, taker)+HoldsUpDestroy)
}

func overlapping(overlaps []engine.Overlap) string {
	var on plain.Groups
	var names []string
	for _, o := range overlaps {
		on.Add(o.Object.String(), o.Cluster)
	}
	for _, object := range on.Texts {
		names = append(names, object+" on "+words.List(on.Names[object], model.MaxClusters))
	}
	return model.Message(words.List(names, model.MaxClusters))
}

// TakenTwice adds an error for objects that two placements take over from the same one.
func TakenTwice(diags *diag.Diagnostics, taker, other, giver string, overlaps []engine.Overlap) {
	taker, other, giver = model.Name(taker), model.Name(other), model.Name(giver)
	diags.AddAttributeError(path.Root("takes_over_from"), fmt.Sprintf("Placements %q and %q take over the same objects", other, taker), fmt.Sprintf(
		"An object has one placement. Both placements name %q in takes_over_from, and both place: %s. Remove the objects from one of the two.",
		giver, overlapping(overlaps))+HoldsUpDestroy)
}

// NotRemoved adds an error for a placement that takes_over_from_removed names and that a resource of the run manages.
func NotRemoved(diags *diag.Diagnostics, taker, giver string) {
	taker, giver = model.Name(taker), model.Name(giver)
	diags.AddAttributeError(path.Root("name"), fmt.Sprintf("Placement %q is not removed from the state", giver), fmt.Sprintf(
		"takes_over_from_removed of placement %q names %q, but a resource of this configuration still manages or destroys %[2]q. After the takeover, that resource "+
			"could no longer verify its records on the clusters. If the resource stays in the configuration, name the placement in takes_over_from. Otherwise remove "+
			"the resource from the state with a removed block with destroy = false.", taker, giver)+
		HoldsUpDestroy)
}

// RenamedGiver adds an error for a placement that is renamed in the run in which another one takes objects over from it.
func RenamedGiver(diags *diag.Diagnostics, taker, former, name string) {
	taker, former, name = model.Name(taker), model.Name(former), model.Name(name)
	diags.AddAttributeError(path.Root("name"), fmt.Sprintf("Placement %q is renamed while %q takes objects over from it", former, taker), fmt.Sprintf(
		"This run renames the placement %q to %q, and placement %q takes objects over from it. The records on the clusters have the former name until the rename is "+
			"applied. Apply the rename first, and hand the objects over in a second apply, with %q in takes_over_from.", former, name, taker, name)+HoldsUpDestroy)
}
