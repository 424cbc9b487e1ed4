package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

func listRemarks(preview *engine.Preview) []string {
	var out []string
	if preview.Hub != nil {
		out = append(out, "This is a prediction. The hub and its agents decide when they apply the change.")
	}
	if preview.OnHub().External {
		out = append(out, `strategy.type is "External": the apply writes the placement and changes no object. The next staged update run makes the changes shown here.`)
	}
	return out
}

// listCautions returns the notes that are a reason for a warning.
func listCautions(preview *engine.Preview) []string {
	var out []string
	if !preview.Fulfilled {
		out = append(out, "The policy asks for more clusters than are available now.")
	}
	if len(preview.Unknown) > 0 {
		out = append(out, "Known only after apply, and so not in this preview: "+Message(words.List(preview.Unknown, MaxClusters))+
			". The apply checks the clusters again before it writes.")
	}
	if len(preview.Selected) > 0 { // otherwise the advice is about all selectors
		out = append(out, listEmptySelectors(preview)...)
	}
	for _, skipped := range preview.Skipped {
		name := "A " + skipped.Kind
		if skipped.Name != "" {
			name = skipped.Identifier.String()
		}
		out = append(out, fmt.Sprintf("%s, which resource_selectors[%d] selects, is not placed: %s.", Name(name), skipped.Selector, Message(skipped.Reason)))
	}
	if text := TrustNote(preview, "This apply signs them. Check first that the objects which this plan updates and deletes belong to the placement."); text != "" {
		out = append(out, text)
	}
	out = append(append(out, listHandOverNotes(preview)...), listUnmanaged(preview)...)
	for _, object := range preview.Unselected {
		out = append(out, fmt.Sprintf("The manifest of %s is not selected by any of the resource_selectors and will not be placed.", Name(object.String())))
	}
	return out
}

func listEmptySelectors(preview *engine.Preview) []string {
	then := "it places nothing"
	if preview.Hub != nil {
		then = "the hub places matching objects as soon as they exist"
	}
	var out []string
	for _, i := range preview.EmptySelectors {
		if slices.ContainsFunc(preview.Skipped, func(s selection.Skipped) bool { return s.Selector == i }) {
			continue // another note names the skipped object
		}
		out = append(out, fmt.Sprintf("resource_selectors[%d] matches nothing now: %s.", i, then))
	}
	return out
}

// TrustNote returns a note that names the clusters whose records are used without verification, followed by then. It returns "" if there are none.
func TrustNote(preview *engine.Preview, then string) string {
	var clusters []string
	for _, cluster := range preview.Clusters {
		if cluster.RecordTrusted {
			clusters = append(clusters, cluster.Name)
		}
	}
	if len(clusters) == 0 {
		return ""
	}
	return Trusted(clusters) + " " + then
}

// Trusted says that the records on clusters are used without verification.
func Trusted(clusters []string) string {
	return "Trusted without verification: the records on " + words.List(Names(clusters), MaxClusters) + ", because this state has not signed them yet (import)."
}

func listUnmanaged(preview *engine.Preview) []string {
	var out []string
	for _, o := range preview.Unmanaged {
		out = append(out, fmt.Sprintf("The %s changes objects on %s, and no resource that this placement depends on manages it. If a resource of the "+
			"configuration does, add it to depends_on; if none does, check the %s there.", Name(o.String()), words.List(Names(o.Clusters), MaxClusters), Name(o.Record)))
	}
	return out
}

func listHandOverNotes(preview *engine.Preview) []string {
	var out []string
	if len(preview.MissingGivers) > 0 {
		where := "No checked cluster has a record of"
		if preview.Hub != nil {
			where = "The hub has no"
		}
		out = append(out, fmt.Sprintf("%s %s, which takes_over_from or takes_over_from_removed names.", where, PlacementList(preview.MissingGivers)))
	}
	for _, name := range listRemovedGivers(preview) {
		if preview.Hub != nil { // a hub has the placement itself, and no records to verify
			break
		}
		out = append(out, fmt.Sprintf("The records of placement %[1]q are used without verification, because no resource of this configuration has their key. Check first that "+
			"the objects which this plan takes over belong to %[1]q. If the state still has the resource of %[1]q, you can have the records verified instead: keep the resource with "+
			"count = 0 and depends_on, and name %[1]q in takes_over_from.", Name(name)))
	}
	remaining := map[string][]string{}
	for _, r := range preview.Remaining {
		remaining[r.From] = append(remaining[r.From], r.String()+" on "+r.Cluster)
	}
	stays := "remain on the clusters, and no placement manages them"
	if preview.Hub != nil {
		stays = "remain part of it on the hub and on the clusters"
	}
	for _, name := range slices.Sorted(maps.Keys(remaining)) {
		out = append(out, fmt.Sprintf("Objects of placement %q that this placement does not place %s: %s.", Name(name), stays,
			Message(words.List(remaining[name], MaxClusters))))
	}
	return out
}

// listRemovedGivers returns the placements in takes_over_from_removed from which this one takes an object over.
func listRemovedGivers(preview *engine.Preview) []string {
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

// PlacementList returns the quoted names of placements in one line.
func PlacementList(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("placement %q", Name(name))
	}
	return strings.Join(quoted, ", ")
}

// describeRename describes the rename of a placement. It returns "" if no checked cluster has the placement under another name.
func describeRename(preview *engine.Preview) string {
	var former []string
	clusters, unchecked := 0, 0
	for _, cluster := range preview.Clusters {
		former = append(former, Names(cluster.FormerNames)...)
		if len(cluster.FormerNames) > 0 {
			clusters++
		}
		if cluster.Err != nil {
			unchecked++
		}
	}
	if clusters == 0 {
		return ""
	}
	runs := "objects keep running, "
	if hasObject(preview, func(o engine.ObjectPreview) bool {
		return o.Action == takeover.ActionPrune || o.Action == takeover.ActionReplace
	}) {
		runs = "" // the plan names the deleted objects
	}
	slices.Sort(former)
	text := fmt.Sprintf("Placement %s is renamed to %s: %srecords and labels on %s are updated.", words.List(slices.Compact(former), MaxClusters),
		Name(preview.Placement), runs, words.Count(clusters, "cluster"))
	if unchecked > 0 {
		text += fmt.Sprintf(" If the placement is on %s that could not be checked, the apply that reaches it renames it there.", words.Count(unchecked, "cluster"))
	}
	return text
}

const maxSteps = 5

// describeRollout describes the order in which a hub changes the clusters, and what blocks it. It returns "" if the hub changes all clusters together and
// nothing blocks this change.
func describeRollout(preview *engine.Preview) string {
	hold := preview.OnHub().Hold
	if len(preview.OnHub().Rollout) < 2 && hold == nil {
		return ""
	}
	steps := make([]string, len(preview.OnHub().Rollout))
	for i, group := range preview.OnHub().Rollout {
		steps[i] = words.List(Names(group), MaxClusters)
	}
	text := "Rollout order: " + words.List(steps, maxSteps)
	if len(steps) > 1 {
		text += ", each after the previous ones are available"
	}
	switch {
	case hold == nil:
		return text + "."
	case len(steps) == 0:
		text = "Rollout BLOCKED on "
	default:
		text += "; BLOCKED on "
	}
	return text + words.List(Names(hold.Clusters), MaxClusters) + ": " + describeHold(*hold)
}

func describeHold(hold engine.Hold) string {
	var why []string
	for i, c := range hold.For {
		if i == MaxClusters {
			why = append(why, fmt.Sprintf("%d more are not available", len(hold.For)-i))
			break
		}
		why = append(why, fmt.Sprintf("%s is not available (%s)", Name(c.Cluster), Message(c.Reason)))
	}
	if hold.Missing > 0 {
		why = append(why, fmt.Sprintf("%s that the policy requests are not available", words.Count(hold.Missing, "cluster")))
	}
	const setting = "strategy.rolling_update.max_unavailable"
	if len(why) == 0 {
		return fmt.Sprintf("with %s = %d, the hub updates no cluster that has the placement.", setting, hold.MaxUnavailable)
	}
	return fmt.Sprintf("%s. At most %d may be unavailable. The rollout continues when this is fixed, or with a larger %s.", strings.Join(why, ", "),
		hold.MaxUnavailable, setting)
}
