package report

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// Removal reports what the removal of a placement does: one warning, deletions first, and nothing if no object is left.
func Removal(diags *diag.Diagnostics, preview *engine.Preview, plan Plan) {
	removal(diags, preview, plan, "removed", "")
}

// Replaces is why a placement is replaced.
type Replaces string

// The reasons of a replacement.
const (
	Renamed Replaces = "A placement of another name is another placement"
	Retyped Replaces = "A placement of another placement_type is another placement"
	// Requested is the reason of a replacement that the configuration does not ask for.
	Requested Replaces = "The resource is tainted, or its replacement was asked for"
)

// Replacement reports what the removal of a placement does that the named one replaces, which may have the same name.
func Replacement(diags *diag.Diagnostics, preview *engine.Preview, plan Plan, by string, why Replaces) {
	maker, named := "the new one", "another name"
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
	if deletesNothing(preview) {
		introduction = fmt.Sprintf("%s: the apply removes %q first, and %s finds its objects as pre-existing.\n\n", why, preview.Placement, maker)
	}
	removal(diags, preview, plan, "REPLACED", introduction)
}

// deletesNothing reports whether a removal is known to keep every object.
func deletesNothing(preview *engine.Preview) bool {
	return !slices.ContainsFunc(preview.Clusters, func(cluster engine.ClusterPreview) bool {
		of := remaining(cluster)
		return cluster.Err != nil && !unconnected(cluster) || of.deleted+of.unknown > 0
	})
}

func removal(diags *diag.Diagnostics, preview *engine.Preview, plan Plan, what, introduction string) {
	if len(clusterLines(preview, removalText)) == 0 {
		return
	}
	counts, found, concerned := removalCounts(preview), findings(preview), holding(preview)
	summary := fmt.Sprintf("Placement %q (%s) will be %s: %s", preview.Placement, words.Count(concerned, "cluster"), what, counts)
	if concerned == 0 {
		summary = fmt.Sprintf("Placement %q will be %s: %s", preview.Placement, what, counts)
	}
	text := introduction + layout([]*section{
		deletedSection(found[takeover.ActionPrune], "DELETED:", 20),
		freedSection(plan.Freed),
		occupiedSection(found[takeover.ActionDefer]),
		handedOverSection(found[takeover.ActionHandOver]),
		objectSection(slices.Concat(found[takeover.ActionOrphan], found[takeover.ActionNone]), "Left on the cluster:", 12, (*finding).released),
		objectSection(found[takeover.ActionUnknown], "To be removed, and could not be checked:", 6, (*finding).unknown),
		clusterSection(preview, plan.first, func(c engine.ClusterPreview) clusterText {
			if c.Err == nil && !c.RecordLost {
				return clusterText{} // the objects say it all
			}
			return removalText(c)
		}),
	})
	if note := trustNote(preview, "They decide what is deleted. Check first that the objects listed here belong to the placement."); note != "" {
		text += "\n\n" + note
	}
	if preview.Removing {
		text += "\n\nThe placement is deleted on the hub already: the members' agents do this by themselves as soon as they run, and a destroy waits for them."
	}
	for _, advice := range removalAdvice(preview) {
		text += plan.advise(advice)
	}
	diags.AddAttributeWarning(path.Root("name"), summary, text)
}

// removalAdvice tells what to do about what stands in the way of a removal.
func removalAdvice(preview *engine.Preview) []string {
	var out []string
	if held(preview) {
		out = append(out, heldAdvice(preview, true))
	}
	if isOccupied(preview) {
		out = append(out, occupiedAdvice)
	}
	for _, cluster := range preview.Clusters {
		if cluster.Err != nil && !unconnected(cluster) && !preview.Predicted {
			out = append(out, "If a cluster that may have objects of the placement cannot be reached, the removal returns an error after it has removed the placement from the others. "+
				"If the cluster is gone for good, remove its connection from the provider argument \"members\". The removal then skips the cluster.")
			break
		}
	}
	return out
}

// HoldsUpDestroy is said of what stops a plan: Terraform plans before it destroys, too, and tells no provider what it plans for.
const HoldsUpDestroy = " A \"terraform destroy\" plans first and is stopped as well, unless it is run with -refresh=false."

// heldAdvice says what becomes of what is held back, and what to do about it. A hub has no contents argument, and keeps in mind what it has made as
// long as the placement is there.
func heldAdvice(preview *engine.Preview, removing bool) string {
	const what = "A Namespace or CustomResourceDefinition whose deletion would delete other objects remains on the "
	switch {
	case preview.Predicted && !removing:
		return what + "hub and on all clusters, and remains in the placement. The next apply whose plan finds no such objects deletes it."
	case preview.Predicted:
		return what + "hub and on all clusters, and nothing deletes it later. To have it deleted, remove the other objects first."
	}
	return what + "cluster, and nothing deletes it later. To have it deleted, remove the other objects first, or " +
		"apply strategy.delete_strategy.contents = \"Delete\", which deletes it with everything in it."
}

// held tells whether the deletion of something is held back by what it would take with it.
func held(preview *engine.Preview) bool {
	return slices.ContainsFunc(preview.Clusters, func(cluster engine.ClusterPreview) bool {
		return slices.ContainsFunc(cluster.Objects, func(o engine.ObjectPreview) bool {
			return o.Action == takeover.ActionOrphan && o.Obstacle == takeover.ObstacleContents
		})
	})
}

// holding counts the clusters that have objects of the placement.
func holding(preview *engine.Preview) int {
	n := 0
	for _, cluster := range preview.Clusters {
		if removalTally(cluster) != "" {
			n++
		}
	}
	return n
}

// removalCounts are the numbers of a summary, over all clusters.
func removalCounts(preview *engine.Preview) string {
	all := engine.ClusterPreview{}
	offline, given, unrecorded := 0, 0, 0
	for _, cluster := range preview.Clusters {
		all.Objects = append(all.Objects, cluster.Objects...)
		switch {
		case unconnected(cluster):
			given++
		case cluster.Err != nil:
			offline++
		case cluster.RecordLost:
			unrecorded++
		}
	}
	of := remaining(all)
	var parts []string
	for _, part := range []struct {
		n    int
		text string
	}{
		{of.deleted, "%d to delete"}, {of.occupied, "%d to delete if another placement is removed"}, {of.handed, "%d handed over"}, {of.left, "%d left on the cluster"}, {of.unknown, "%d to remove that could not be checked"},
	} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf(part.text, part.n))
		}
	}
	if offline > 0 {
		parts = append(parts, words.Count(offline, "cluster")+" NOT CHECKED")
	}
	if unrecorded > 0 {
		parts = append(parts, words.Count(unrecorded, "cluster")+" WITHOUT ITS RECORD")
	}
	if given > 0 {
		parts = append(parts, words.Count(given, "cluster")+" GIVEN UP")
	}
	if len(parts) == 0 {
		return "nothing to delete"
	}
	return strings.Join(parts, ", ")
}

// removed counts the objects of a cluster that are deleted, are deleted if other placements are removed, are handed over, are left there, and could
// not be checked.
type removed struct{ deleted, occupied, handed, left, unknown int }

func remaining(cluster engine.ClusterPreview) removed {
	var out removed
	for _, o := range cluster.Objects {
		switch o.Action {
		case takeover.ActionPrune:
			out.deleted++
		case takeover.ActionHandOver:
			out.handed++
		case takeover.ActionUnknown:
			out.unknown++
		case takeover.ActionNone:
			if o.Exists {
				out.left++
			}
		case takeover.ActionDefer:
			out.occupied++
		case takeover.ActionOrphan, takeover.ActionCreate, takeover.ActionUpdate, takeover.ActionReplace, takeover.ActionTakeOver,
			takeover.ActionTakeOverFrom, takeover.ActionLeaveAlone, takeover.ActionLeaveDrifted, takeover.ActionReject, takeover.ActionReport:
			out.left++
		}
	}
	return out
}

func removalTally(cluster engine.ClusterPreview) string {
	of := remaining(cluster)
	var parts []string
	for _, part := range []struct {
		n    int
		word string
	}{{of.deleted, "DELETE"}, {of.occupied, "DELETE if another placement is removed:"}, {of.handed, "hand over"}, {of.left, "keep"}, {of.unknown, "not checked:"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", part.word, part.n))
		}
	}
	return strings.Join(parts, ", ")
}

// removalText says what a removal does on a cluster.
func removalText(cluster engine.ClusterPreview) clusterText {
	switch {
	case unconnected(cluster):
		return clusterText{text: "GIVEN UP, because the provider has no connection to it any more. The placement's objects and record remain there."}
	case cluster.Err != nil:
		return unreachedText("NOT CHECKED.", cluster)
	default:
		return clusterText{text: clauses(removalTally(cluster), lost(cluster, "remain"))}
	}
}

// unconnected tells whether the provider has no connection to a cluster.
func unconnected(cluster engine.ClusterPreview) bool {
	_, missing := errors.AsType[*engine.NotConfiguredError](cluster.Err)
	return missing
}

// perishes says what else goes with an object that is deleted.
func perishes(o engine.ObjectPreview) string {
	namespace := o.IsNamespace()
	if !namespace && !definition(o.Identifier) {
		return ""
	}
	text, nothing := "with everything in it", "nothing else is in it"
	if !namespace {
		text, nothing = "with every object of the kind that it defines", "there is no other object of the kind that it defines"
	}
	switch {
	case o.Contents == nil:
		return text
	case o.Contents.Empty() && len(o.Contents.First) > 0:
		return nothing + " once " + placementNames(o.Contents.First) + " removed"
	case o.Contents.Empty():
		return nothing
	case o.Contents.Count == 0:
		return text + "; " + plain(strings.Join(o.Contents.Unseen, ", "), maxName) + " could not be checked"
	default:
		return text + ": " + plain(o.Contents.Names(), maxMessage)
	}
}

// placementNames names placements as the subject of a clause, with its verb.
func placementNames(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(plain(name, maxName))
	}
	if len(quoted) == 1 {
		return "placement " + quoted[0] + " is"
	}
	return "placements " + strings.Join(quoted, ", ") + " are"
}

func definition(id manifest.Identifier) bool {
	return id.Group == "apiextensions.k8s.io" && id.Kind == "CustomResourceDefinition"
}
