package plain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

// Objects returns sections about the objects that a person has to weigh, the conflicts first.
func Objects(r *model.Report) []*Section {
	weighed := func(action takeover.Action) []*model.Row { return model.Weighed(r.Rows[action]) }
	of := func(action takeover.Action, title string, reserve int) *Section {
		return Rows(weighed(action), title, reserve, func(o *model.Row) []string { return append(Block(o), driftLine(o)...) })
	}
	s := r.Strategy
	return []*Section{
		of(takeover.ActionLeaveAlone, titleLeftAlone(s.WhenToTakeOver), 10),
		of(takeover.ActionTakeOver, fmt.Sprintf("Taken over (when_to_take_over = %q):", s.WhenToTakeOver), 8),
		takenFromSection(weighed(takeover.ActionTakeOverFrom)),
		of(takeover.ActionReplace, "DELETED and recreated:", 8),
		of(takeover.ActionReject, "Cannot be placed now; "+r.Retries()+":", 5),
		Missing(r),
		Rows(r.NotUpdated(), fmt.Sprintf("Drifted and not updated (when_to_apply = %q):", s.WhenToApply), 5, driftedLines),
		reportedSection(weighed(takeover.ActionReport)),
		of(takeover.ActionUpdate, titleUpdated(weighed(takeover.ActionUpdate)), 6),
		Deleted(weighed(takeover.ActionPrune), titleDeleted(r), 5),
		HandedOver(weighed(takeover.ActionHandOver)),
		of(takeover.ActionOrphan, titleOrphaned(r), 4),
		of(takeover.ActionNone, "Left on the cluster; no longer placed there, and not known to be created by the placement:", 4),
		of(takeover.ActionDefer, "No longer placed; the next apply deletes them, because no plan has shown the deletion yet:", 3),
		of(takeover.ActionUnknown, "To be removed, but not checked:", 3),
	}
}

// Rows returns a section with a block for each object.
func Rows(rows []*model.Row, title string, reserve int, write func(*model.Row) []string) *Section {
	out := &Section{Title: title, Unit: "object", Reserve: reserve}
	for _, row := range rows {
		out.Add(write(row)...)
	}
	return out
}

func titleUpdated(rows []*model.Row) string {
	if slices.ContainsFunc(rows, func(o *model.Row) bool { return !o.Overwrites }) {
		return "Updated:"
	}
	return "Updated, overwriting values that others have set:"
}

func titleDeleted(r *model.Report) string {
	if r.External {
		return "DELETED" + model.ByRun + "; no longer placed there:"
	}
	return "DELETED; no longer placed there:"
}

// titleOrphaned is the title of objects that remain on the cluster. An object whose deletion a hub blocks still belongs to the placement: it is not orphaned.
func titleOrphaned(r *model.Report) string {
	if r.OnHub && r.Holds {
		return "Left on the cluster although no longer placed there:"
	}
	return "Left on the cluster (orphaned); no longer placed there:"
}

func titleLeftAlone(mode placement.WhenToTakeOver) string {
	if mode == placement.TakeOverNever {
		return `Not taken over (when_to_take_over = "Never"):`
	}
	return fmt.Sprintf("Cannot be taken over (when_to_take_over = %q):", mode)
}

const noDifference = ", no difference found"

// Block returns the lines about an object in a section about its action.
func Block(o *model.Row) []string {
	line := describeObject(o)
	switch o.Action {
	case takeover.ActionLeaveAlone:
		if o.Claimed {
			line += " is left to that placement"
		}
		line += ": " + o.Reason + prefixed(", ", o.Why)
		if o.Equal {
			line += noDifference
		}
	case takeover.ActionTakeOver:
		switch restarts := o.Restarts(); {
		case len(o.Fields) == 0:
			return []string{Clauses(line+noDifference, restarts)}
		case restarts == "":
			line += ", overwritten:"
		default:
			line += ", overwritten; " + restarts
		}
	case takeover.ActionReject:
		return append([]string{line + ": " + o.Reason, "      " + o.Why}, fieldLines(o)...)
	case takeover.ActionUpdate:
		line = Clauses(line, o.Restarts())
	case takeover.ActionReplace:
		return []string{line + prefixed(", ", o.DescribeContents()), "      " + o.Why}
	case takeover.ActionPrune:
		return []string{line + prefixed(", ", o.DescribeContents())}
	case takeover.ActionOrphan, takeover.ActionNone:
		return keptLines(o)
	case takeover.ActionUnknown, takeover.ActionDefer:
		if o.Obstacle == takeover.ObstacleNotReadable {
			return []string{line, "      " + o.Why}
		}
		return []string{line}
	case takeover.ActionCreate, takeover.ActionTakeOverFrom, takeover.ActionHandOver, takeover.ActionLeaveDrifted, takeover.ActionReport: // other functions write these
	}
	return append([]string{line}, fieldLines(o)...)
}

func describePlace(o *model.Row) string {
	return "  " + o.Object + " on " + words.List(o.Clusters, model.MaxClusters)
}

func describeObject(o *model.Row) string { return describePlace(o) + Bracketed(o.Owner) }

func prefixed(separator, text string) string {
	if text == "" {
		return ""
	}
	return separator + text
}

func fieldLines(o *model.Row) []string { return Indented("      ", Fields(o.Fields)) }

func driftLine(o *model.Row) []string {
	if len(o.Drifts) == 0 {
		return nil
	}
	return []string{"      reported as drifted: " + words.List(o.Drifts, model.MaxFields)}
}

func driftedLines(o *model.Row) []string {
	return append([]string{describeObject(o) + ": " + o.Reason}, fieldLines(o)...)
}

func keptLines(o *model.Row) []string { return []string{describeObject(o) + prefixed(": ", o.Why)} }

// Kept returns a section about objects that remain on a cluster, or that are deleted under a condition.
func Kept(rows []*model.Row, title string, reserve int) *Section {
	return Rows(rows, title, reserve, keptLines)
}

// Deleted returns a section with all deleted objects. Objects on the same clusters share lines. A Namespace or CustomResourceDefinition has lines of its own.
// It shares lines only if there are several objects, all on the same clusters, and nothing else is deleted with it. If several objects are all on the same
// clusters, the title names the clusters before its semicolon or colon.
func Deleted(rows []*model.Row, title string, reserve int) *Section {
	out := &Section{Title: title, Unit: "line", Reserve: reserve}
	where := func(o *model.Row) string { return words.List(o.Clusters, model.MaxClusters) + Bracketed(o.Owner) }
	together := len(rows) > 1 && !slices.ContainsFunc(rows, func(o *model.Row) bool { return where(o) != where(rows[0]) })
	var alike Groups
	containersFirst := func(a, b *model.Row) int { return min(1, len(b.Contents)) - min(1, len(a.Contents)) }
	for _, o := range slices.SortedStableFunc(slices.Values(rows), containersFirst) {
		if o.Contents != "" && (!together || !o.Empty) {
			out.Add(Block(o)...)
		} else {
			alike.Add(where(o), o.Object+Bracketed(o.DescribeContents()))
		}
	}
	for _, clusters := range alike.Texts {
		head, names := "  on "+clusters+":", alike.Names[clusters]
		switch {
		case together:
			at := strings.IndexAny(title, ";:")
			out.Title = title[:at] + " on " + clusters + title[at:]
			head = " "
		case len(names) == 1:
			out.Add("  " + names[0] + " on " + clusters)
			continue
		}
		for _, line := range Flow(head, "    ", abridge(names)) {
			out.Add(line)
		}
	}
	return out
}

func reportedSection(rows []*model.Row) *Section {
	return Rows(rows, "Reported only (type = \"ReportDiff\"):", 8, func(o *model.Row) []string {
		line := describeObject(o) + " " + o.Result
		if o.Obstacle != takeover.ObstacleNone {
			line += ": " + o.Message
		}
		if !o.Exists {
			return []string{line}
		}
		return append([]string{line}, fieldLines(o)...)
	})
}

func takenFromSection(rows []*model.Row) *Section {
	one := onlyPlacement(rows)
	out := Rows(rows, "Taken over from other placements, not deleted or recreated:", 8, func(o *model.Row) []string {
		line := describePlace(o) + markPreExisting(o)
		if one == "" {
			line += fmt.Sprintf(", from placement %q", o.Placement)
		}
		if o.RemainsDrifted { // another section has the fields
			return []string{line}
		}
		return append([]string{Clauses(line, o.Restarts())}, fieldLines(o)...)
	})
	if one != "" {
		out.Title = fmt.Sprintf("Taken over from placement %q, not deleted or recreated:", one)
	}
	if slices.ContainsFunc(rows, func(o *model.Row) bool { return o.Created }) {
		out.Tail = []string{"  The removal of this placement deletes them, except pre-existing ones."}
	}
	return out
}

// markPreExisting marks an object that its former placement took over and did not create.
func markPreExisting(o *model.Row) string {
	if o.Created {
		return ""
	}
	return " (pre-existing)"
}

// HandedOver returns a section about objects that this placement hands over to others.
func HandedOver(rows []*model.Row) *Section {
	one := onlyPlacement(rows)
	out := Rows(rows, "Handed over to other placements, not deleted:", 8, func(o *model.Row) []string {
		lines := []string{describePlace(o)}
		if one == "" {
			lines[0] += fmt.Sprintf(", to placement %q", o.Placement)
		}
		if o.Why != "" {
			lines = append(lines, "      "+o.Why+"; it stays until a later apply")
		}
		return lines
	})
	if one != "" {
		out.Title = fmt.Sprintf("Handed over to placement %q, not deleted:", one)
	}
	return out
}

// onlyPlacement returns the other placement of all hand-overs, or "" if there are several other placements or no hand-overs.
func onlyPlacement(rows []*model.Row) string {
	if len(rows) == 0 || slices.ContainsFunc(rows, func(o *model.Row) bool { return o.Placement != rows[0].Placement }) {
		return ""
	}
	return rows[0].Placement
}

// Missing returns a section about the workloads whose Pods need an object that is missing.
func Missing(r *model.Report) *Section {
	out := &Section{Title: "Will not become available; their Pods need a missing object:", Unit: "object", Reserve: 4}
	for _, l := range r.Missing {
		out.Add("  " + l.Object + " on " + words.List(l.Clusters, model.MaxClusters) + ": " + l.Why())
	}
	return out
}
