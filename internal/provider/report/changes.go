package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// maxChangeLines is how many lines the changes of a plan have at most.
const maxChangeLines = 20

// changeText returns the section as the text of planned_changes.
func (s *section) changeText() string {
	return strings.Join(s.write(min(s.height(), maxChangeLines+1))[1:], "\n")
}

// Changes returns what an apply changes, without a warning.
func Changes(preview *engine.Preview, plan Plan) string { return newReview(preview, plan).changes() }

// changes returns what an apply changes: a line with the counts, and a line for each object of which the plan shows more than its creation. The warning has
// the changes that a person has to weigh. The text is empty if no object changes and the placement is not renamed.
func (r *review) changes() string {
	clusters, renamed := r.changedClusters(), renaming(r.preview)
	out := &section{what: "line"}
	if renamed != "" {
		out.add(renamed)
	}
	if len(clusters) == 0 {
		return renamed
	}
	out.add(r.counts.changes() + r.where(clusters))
	r.addPlainChanges(out, clusters)
	r.addKinds(out)
	r.addClusters(out, clusters)
	r.addCreated(out, clusters)
	return out.changeText()
}

// NoChange returns the changes of an apply that writes records, or the hub's placement, and no object. It is empty if that is not known.
func NoChange(preview *engine.Preview) string {
	if preview == nil || len(preview.Unknown) > 0 || slices.ContainsFunc(preview.Clusters, func(c engine.ClusterPreview) bool { return c.Err != nil }) {
		return ""
	}
	stays := count(preview).list([]tallyPart{{takeover.ActionLeaveAlone, "%d not taken over"}, {takeover.ActionReject, "%d cannot be placed"}})
	if stays == "" {
		return "No object changes."
	}
	return "No object changes: " + stays + "."
}

// RemovalChanges returns the text for a removal that comes before the creation of the same placement: a line with the counts, and the names of the deleted
// objects.
func RemovalChanges(preview *engine.Preview) string {
	out := &section{what: "line"}
	out.add(fmt.Sprintf("%q is removed first: %s", plain(preview.Placement, maxName), removalCounts(preview)))
	if deleted := deletedSection(findings(preview)[takeover.ActionPrune], "DELETED:", 0); len(deleted.blocks) > 0 {
		out.add(deleted.title)
		out.blocks = append(out.blocks, deleted.blocks...)
	}
	return out.changeText()
}

// changedClusters are the clusters on which an object changes.
func (r *review) changedClusters() []engine.ClusterPreview {
	return slices.DeleteFunc(slices.Clone(r.preview.Clusters), func(cluster engine.ClusterPreview) bool {
		return !slices.ContainsFunc(cluster.Objects, func(o engine.ObjectPreview) bool {
			return o.Action.Writes() || o.Action == takeover.ActionReport || o.Action == takeover.ActionHandOver
		})
	})
}

// where says on which clusters, when, and by whom objects change; on new clusters also under which takeover mode, so that a misspelt one is seen.
func (r *review) where(clusters []engine.ClusterPreview) string {
	var how []string
	if !slices.ContainsFunc(clusters, func(c engine.ClusterPreview) bool { return !c.Joining }) {
		how = append(how, afterJoining)
	}
	if slices.ContainsFunc(clusters, asksForTakeover) && r.plan.Strategy.Type != placement.ReportDiff {
		how = append(how, "when_to_take_over: "+string(r.plan.Strategy.WhenToTakeOver))
	}
	if r.preview.Predicted && !r.preview.External {
		how = append(how, "predicted")
	}
	text := " on " + words.List(clusterNames(clusters), maxClusters)
	if r.preview.External {
		text += byRun
	}
	return text + bracketed(strings.Join(how, ", "))
}

const afterJoining = "after joining the fleet"

func clusterNames(clusters []engine.ClusterPreview) []string {
	out := make([]string, len(clusters))
	for i, cluster := range clusters {
		out[i] = plain(cluster.Name, maxName)
	}
	return out
}

// changes counts what changes.
func (c counts) changes() string {
	return c.list([]tallyPart{
		{takeover.ActionCreate, "%d to create"}, {takeover.ActionUpdate, "%d to update"}, {takeover.ActionTakeOver, "%d to take over"},
		{takeover.ActionTakeOverFrom, "%d to take over from other placements"}, {takeover.ActionHandOver, "%d to hand over"},
		{takeover.ActionReplace, "%d to DELETE and recreate"}, {takeover.ActionPrune, "%d to DELETE"}, {takeover.ActionOrphan, "%d to orphan"},
		{takeover.ActionReport, "%d to report only"}, {takeover.ActionUnknown, "%d to remove that could not be checked"},
	})
}

// tallyPart is how the objects of an action are counted: a format with their number.
type tallyPart struct {
	action takeover.Action
	format string
}

// list counts the objects of some actions, "" for none.
func (c counts) list(parts []tallyPart) string {
	var out []string
	for _, part := range parts {
		if n := c.of[part.action]; n > 0 {
			out = append(out, fmt.Sprintf(part.format, n))
		}
	}
	return strings.Join(out, ", ")
}

// addPlainChanges adds the updates, the takeovers and the hand-overs that are in no warning, with the fields that they change.
func (r *review) addPlainChanges(out *section, changed []engine.ClusterPreview) {
	where := func(f *finding) string {
		if slices.Equal(f.clusters, clusterNames(changed)) {
			return ""
		}
		return " on " + words.List(f.clusters, maxClusters)
	}
	var equal alikeNames
	for _, f := range r.found[takeover.ActionUpdate] {
		switch fields := f.fieldTexts(); {
		case r.weighs(f.object):
		case len(fields) == 0:
			equal.add("update"+where(f), f.title())
		case len(fields) == 1:
			out.add("update " + f.title() + where(f) + ": " + fields[0])
		default:
			out.add(append([]string{"update " + f.title() + where(f) + ":"}, indented("  ", fields)...)...)
		}
	}
	for _, f := range r.found[takeover.ActionTakeOver] {
		if !r.weighs(f.object) {
			equal.add("take over"+where(f)+bracketed(f.owner()), f.title())
		}
	}
	for _, text := range equal.order {
		out.add(flow(text+", no difference found:", "  ", abridge(equal.of[text]))...)
	}
	var moved alikeNames
	for _, f := range r.found[takeover.ActionTakeOverFrom] {
		if !r.weighs(f.object) {
			moved.add(fmt.Sprintf("take over from placement %q%s%s:", f.from(), where(f), f.preExisting()), f.title())
		}
	}
	for _, f := range r.found[takeover.ActionHandOver] {
		if !r.weighs(f.object) {
			moved.add(fmt.Sprintf("hand over to placement %q%s:", f.to(), where(f)), f.title())
		}
	}
	for _, f := range r.found[takeover.ActionOrphan] {
		if !r.weighs(f.object) {
			moved.add("no longer place, and keep"+where(f)+bracketed(f.owner())+":", f.title())
		}
	}
	for _, text := range moved.order {
		out.add(flow(text, "  ", abridge(moved.of[text]))...)
	}
}

// addCreated names the objects that are created. On new clusters it leaves out those that the plan lists already.
func (r *review) addCreated(out *section, changed []engine.ClusterPreview) {
	var on byText
	for _, cluster := range r.preview.Clusters {
		for _, object := range cluster.Objects {
			if object.Action == takeover.ActionCreate && object.BroughtBy == "" && (!isNew(cluster) || !r.plan.lists(object.Identifier)) {
				on.add(cluster.Name, (&finding{object: object}).title())
			}
		}
	}
	everywhere := clusterNames(changed)
	var created alikeNames
	for _, name := range on.order {
		if slices.Equal(on.of[name], everywhere) {
			created.add("create:", name)
		} else {
			created.add("create on "+words.List(on.of[name], maxClusters)+":", name)
		}
	}
	for _, head := range created.order {
		for _, line := range flow(head, "  ", abridge(created.of[head])) {
			out.add(line)
		}
	}
}

// asksForTakeover reports whether a new cluster has objects besides those that another placement hands over.
func asksForTakeover(cluster engine.ClusterPreview) bool {
	return isNew(cluster) && slices.ContainsFunc(cluster.Objects, func(o engine.ObjectPreview) bool {
		return o.Action != takeover.ActionTakeOverFrom && o.Action != takeover.ActionHandOver && o.Action != takeover.ActionNone
	})
}

// isNew reports whether a cluster gets the placement for the first time.
func isNew(cluster engine.ClusterPreview) bool {
	return cluster.Picked && !slices.ContainsFunc(cluster.Objects, func(o engine.ObjectPreview) bool { return o.Owned })
}

// addClusters adds the clusters where they differ, where the placement reaches new clusters those that were not picked, and the clusters on which not every
// write was tried.
func (r *review) addClusters(out *section, changed []engine.ClusterPreview) {
	var counted, unpicked, limited byText
	scored := scores(r.preview)
	leaves := false
	for _, c := range changed {
		if !c.Picked && !slices.ContainsFunc(c.Objects, r.weighs) { // of others, the warning says why they are no longer picked
			leaves = true
			counted.add(c.Name, checkedText(c, scored))
		} else {
			counted.add(c.Name, tallied(c, scored))
		}
		if text := limitedChecks(c); text != "" {
			limited.add(c.Name, text)
		}
	}
	if len(counted.order) > 1 || scored || leaves {
		counted.lines(out, "", maxClusters)
	}
	if !r.plan.NamesClusters && slices.ContainsFunc(changed, isNew) {
		for _, c := range r.preview.Clusters {
			if !c.Picked && c.Err == nil && tally(c) == "" {
				unpicked.add(c.Name, checkedText(c, scored))
			}
		}
	}
	unpicked.lines(out, "", maxClusters)
	limited.lines(out, "", maxClusters)
	if text := rolloutNote(r.preview); text != "" && r.preview.Hold == nil {
		out.add(text)
	}
}
