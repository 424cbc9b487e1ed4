package report

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

// Removal adds one warning about what the removal of a placement does, deletions first. It adds none if no cluster has an object of the placement, and all
// clusters were checked and have a valid record.
func Removal(diags *diag.Diagnostics, preview *engine.Preview, plan Plan) {
	warnOfRemoval(diags, preview, plan, "removed", "")
}

// Replaces is why a placement is replaced.
type Replaces string

const (
	Renamed Replaces = "Another name means another placement"
	Retyped Replaces = "Another placement_type means another placement"
	// Requested is the reason of a replacement that the configuration does not ask for.
	Requested Replaces = "The resource is tainted, or its replacement was requested"
)

// Replacement reports what the removal of a placement does when another placement replaces it. by is the name of the other placement. The two placements may
// have the same name.
func Replacement(diags *diag.Diagnostics, preview *engine.Preview, plan Plan, by string, why Replaces) {
	maker, named := "the new placement", "another name"
	if why == Renamed {
		maker, named = fmt.Sprintf("%q", by), fmt.Sprintf("name = %q", engine.ParseReference(by).Name)
	}
	kind := resourceType(preview.Placement)
	keep := fmt.Sprintf("restore the former arguments of this resource, and add count = 0 and depends_on = [%s.NEW] to it. Write a second resource %s.NEW with the new "+
		"arguments, %s and takes_over_from = [%q]: see the guide \"Split, merge and move placements\".", kind, kind, named, preview.Placement)
	if why == Requested {
		keep = "run \"terraform untaint\", or plan without -replace. If the replacement is intended, apply strategy.delete_strategy.propagation_policy = \"Abandon\" first."
	}
	introduction := fmt.Sprintf("%s: the apply DELETES the objects that %q created, and %s creates them again. Until then the workload is unavailable, "+
		"and its data on the clusters is lost. To keep the objects, %s\n\n",
		why, preview.Placement, maker, keep)
	if plan.report(preview).DeletesNothing() {
		introduction = fmt.Sprintf("%s: the apply removes %q first, and keeps its objects on the clusters. They are pre-existing objects for %s.\n\n",
			why, preview.Placement, maker)
	}
	warnOfRemoval(diags, preview, plan, "REPLACED", introduction)
}

// RemovalChanges returns the changes of the first half of a replacement, which removes the placement before it is created again.
func RemovalChanges(preview *engine.Preview) string {
	return plain.RemovalChanges(Plan{}.report(preview))
}

func warnOfRemoval(diags *diag.Diagnostics, preview *engine.Preview, plan Plan, what, introduction string) {
	r, concerned := plan.report(preview), 0
	for _, c := range r.Clusters {
		if c.Removed != (model.Removed{}) {
			concerned++
		}
	}
	if concerned == 0 && !slices.ContainsFunc(r.Clusters, func(c *model.Cluster) bool { return c.Err != "" || c.RecordLost }) {
		return
	}
	on := ""
	if concerned > 0 {
		on = fmt.Sprintf(" (%s)", words.Count(concerned, "cluster"))
	}
	text := introduction + plain.Layout(
		plain.Deleted(r.Rows[takeover.ActionPrune], "DELETED:", 20),
		freed(plan.Freed),
		occupied(r),
		plain.HandedOver(r.Rows[takeover.ActionHandOver]),
		plain.Kept(slices.Concat(r.Rows[takeover.ActionOrphan], r.Rows[takeover.ActionNone]), "Left on the cluster:", 12),
		plain.Rows(r.Rows[takeover.ActionUnknown], "To be removed, but not checked:", 6, plain.Block),
		plain.RemovalClusters(r, plan.first, func(c *model.Cluster) bool { return c.Err != "" || c.RecordLost }), // the object rows already name the other clusters
	)
	if note := model.TrustNote(preview, "They decide what is deleted. Check first that the objects listed here belong to the placement."); note != "" {
		text += "\n\n" + note
	}
	if r.Removing {
		text += "\n\nThe placement is already deleted on the hub. The member agents remove its objects when they run, and a destroy waits for them."
	}
	for _, advice := range removalAdvice(r) {
		text += plan.advise(advice)
	}
	diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("Placement %q%s will be %s: %s", preview.Placement, on, what, r.Removal()), text)
}

func removalAdvice(r *model.Report) []string {
	var out []string
	if r.Holds {
		out = append(out, model.HeldAdvice(r.OnHub, true))
	}
	if slices.ContainsFunc(r.Clusters, func(c *model.Cluster) bool { return c.Removed.Occupied > 0 }) {
		out = append(out, occupiedAdvice)
	}
	if !r.OnHub && slices.ContainsFunc(r.Clusters, func(c *model.Cluster) bool { return c.Err != "" && !c.Unconnected }) {
		out = append(out, "If a cluster that may have objects of the placement cannot be reached, the removal returns an error after it has removed the placement from the others. "+
			"If the cluster is gone for good, remove its connection from the provider argument \"members\". The removal then skips the cluster.")
	}
	return out
}

func resourceType(placement string) string {
	if engine.ParseReference(placement).Namespace != "" {
		return "fleet_resource_placement"
	}
	return "fleet_crp"
}

// Succeeded adds the error that a placement is not removed, because its successor has not taken its objects over. by is the successor, which the same run
// created first. The removal would delete the objects that both placements select.
func Succeeded(diags *diag.Diagnostics, name, by string, objects []manifest.Identifier) {
	name, by = model.Name(name), model.Name(by)
	diags.AddAttributeError(path.Root("name"), fmt.Sprintf("Placement %q was not removed: %q lists the same objects", name, by), fmt.Sprintf(
		"This apply created the placement %q before it removed %q, so %q could not take these objects over: %s. Removing %q now would delete them "+
			"from the clusters, so nothing was removed.\n\nA placement cannot be created before the placement that it replaces is removed. Remove "+
			"lifecycle.create_before_destroy from this "+
			"resource and from resources that depend on it. Then apply twice: the first apply removes the objects of %q, the second creates them as %q.",
		by, name, by, model.Message(engine.Some(objects)), name, name, by))
}
