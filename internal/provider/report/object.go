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

// objectSections tell of the objects that a reviewer has to know of, the conflicts first.
func (r *review) objectSections() []*section {
	found, strategy, preview := r.weighed(), r.plan.Strategy, r.preview
	of := func(action takeover.Action, title string, reserve int, write func(*finding) []string) *section {
		return objectSection(found[action], title, reserve, func(f *finding) []string { return append(write(f), f.driftLine(strategy)...) })
	}
	return []*section{
		of(takeover.ActionLeaveAlone, leftAloneTitle(strategy), 10, (*finding).leftAlone),
		of(takeover.ActionTakeOver, fmt.Sprintf("Taken over (when_to_take_over = %q):", strategy.WhenToTakeOver), 8, (*finding).takenOver),
		takenFromSection(found[takeover.ActionTakeOverFrom]),
		of(takeover.ActionReplace, "DELETED and recreated:", 8, (*finding).replaced),
		of(takeover.ActionReject, "Cannot be placed as things are now; "+retries(preview)+":", 5, (*finding).unplaceable),
		missingSection(preview),
		objectSection(notUpdated(found), fmt.Sprintf("Drifted and not updated (when_to_apply = %q):", strategy.WhenToApply), 5, (*finding).drifted),
		reportedSection(found[takeover.ActionReport]),
		of(takeover.ActionUpdate, "Updated:", 6, (*finding).updated),
		deletedSection(found[takeover.ActionPrune], deletedTitle(preview), 5),
		handedOverSection(found[takeover.ActionHandOver]),
		of(takeover.ActionOrphan, orphanedTitle(preview), 4, (*finding).released),
		of(takeover.ActionNone, "Left on the cluster, because they are no longer placed there and the placement is not known to have created them:", 4, (*finding).released),
		of(takeover.ActionDefer, "No longer placed, and left for the next apply, because no plan has shown their deletion:", 3, (*finding).unknown),
		of(takeover.ActionUnknown, "To be removed, and could not be checked:", 3, (*finding).unknown),
	}
}

// objectSection has a block for each of the objects.
func objectSection(found []*finding, title string, reserve int, write func(*finding) []string) *section {
	out := &section{title: title, what: "object", reserve: reserve}
	for _, one := range found {
		out.add(write(one)...)
	}
	return out
}

// retries says who tries again to place what cannot be placed now.
func retries(preview *engine.Preview) string {
	if preview.Predicted {
		return "the hub retries on its own"
	}
	return "every apply tries again"
}

func deletedTitle(preview *engine.Preview) string {
	if preview.External {
		return "DELETED" + byRun + ", because they are no longer placed there:"
	}
	return "DELETED, because they are no longer placed there:"
}

// orphanedTitle is that of what stays on the cluster. What a hub holds back remains the placement's.
func orphanedTitle(preview *engine.Preview) string {
	if preview.Predicted && held(preview) {
		return "Left on the cluster, although they are no longer placed there:"
	}
	return "Left on the cluster (orphaned), because they are no longer placed there:"
}

func leftAloneTitle(strategy placement.ApplyStrategy) string {
	if strategy.WhenToTakeOver == placement.TakeOverNever {
		return `Not taken over (when_to_take_over = "Never"):`
	}
	return fmt.Sprintf("Cannot be taken over (when_to_take_over = %q):", strategy.WhenToTakeOver)
}

// head names the object, where it is, and whose it is.
func (f *finding) head() string {
	return "  " + f.title() + " on " + words.List(f.clusters, maxClusters) + bracketed(f.owner())
}

// bracketed puts a text in brackets, behind a space; empty for none.
func bracketed(text string) string {
	if text == "" {
		return ""
	}
	return " (" + unbracketed(text) + ")"
}

func (f *finding) leftAlone() []string {
	line := f.head() + ": "
	if f.object.Claimed {
		line = f.head() + " is left to that: "
	}
	line += plain(f.object.Reason, maxName)
	for _, part := range []string{f.obstacle(), f.equality()} {
		if part != "" {
			line += ", " + part
		}
	}
	return append([]string{line}, f.fields()...)
}

func (f *finding) takenOver() []string {
	if len(f.object.Differences) == 0 {
		return []string{clauses(f.head()+", "+f.equality(), f.restart())}
	}
	if restart := f.restart(); restart != "" {
		return append([]string{f.head() + ", overwritten; " + restart}, f.fields()...)
	}
	return append([]string{f.head() + ", overwritten:"}, f.fields()...)
}

func (f *finding) unplaceable() []string {
	return append([]string{f.head() + ": " + plain(f.object.Reason, maxName), "      " + f.obstacle()}, f.fields()...)
}

func (f *finding) drifted() []string {
	line := f.head() + ": " + plain(f.object.Reason, maxName)
	if len(f.object.Differences) == 0 {
		return append([]string{line}, f.patches(f.object.ObservedDrifts)...)
	}
	return append([]string{line}, f.fields()...)
}

// updated returns the fields of an object that are written, because the placed object has changed or because somebody has changed them on the cluster.
func (f *finding) updated() []string {
	return append([]string{clauses(f.head(), f.restart())}, f.fields()...)
}

// deletedSection names all objects that are deleted. Those on the same clusters share lines, except those with which more is deleted. Where all are on the same
// clusters, the title names these once, before its comma or colon.
func deletedSection(found []*finding, title string, reserve int) *section {
	out := &section{title: title, what: "line", reserve: reserve}
	where := func(f *finding) string { return words.List(f.clusters, maxClusters) + bracketed(f.owner()) }
	together := len(found) > 1 && !slices.ContainsFunc(found, func(f *finding) bool { return where(f) != where(found[0]) })
	var alike alikeNames
	for _, f := range slices.SortedStableFunc(slices.Values(found), mostPerishesFirst) {
		switch more, contents := perishes(f.object), f.object.Contents; {
		case more != "" && (!together || contents == nil || !contents.Empty()):
			out.add(f.deleted()...)
		case more != "":
			alike.add(where(f), f.title()+" ("+more+")")
		default:
			alike.add(where(f), f.title())
		}
	}
	for _, clusters := range alike.order {
		head, names := "  on "+clusters+":", alike.of[clusters]
		switch {
		case together:
			at := strings.IndexAny(title, ",:")
			out.title = title[:at] + " on " + clusters + title[at:]
			head = " "
		case len(names) == 1:
			out.add("  " + names[0] + " on " + clusters)
			continue
		}
		for _, line := range flow(head, "    ", abridge(names)) {
			out.add(line)
		}
	}
	return out
}

// mostPerishesFirst orders objects with which more is deleted before others.
func mostPerishesFirst(a, b *finding) int {
	return min(1, len(perishes(b.object))) - min(1, len(perishes(a.object)))
}

func (f *finding) deleted() []string {
	if more := perishes(f.object); more != "" {
		return []string{f.head() + ", " + more}
	}
	return []string{f.head()}
}

// replaced tells why an object is made anew, and what goes with it.
func (f *finding) replaced() []string {
	line := f.head()
	if more := perishes(f.object); more != "" {
		line += ", " + more
	}
	return []string{line, "      " + plain(f.object.Problem, maxMessage)}
}

// released tells why an object is given up.
func (f *finding) released() []string {
	line := f.head()
	if obstacle := f.obstacle(); obstacle != "" {
		line += ": " + obstacle
	}
	return []string{line}
}

// unknown tells why nothing is known of an object.
func (f *finding) unknown() []string {
	if f.object.Obstacle == takeover.ObstacleNotReadable {
		return []string{f.head(), "      " + f.obstacle()}
	}
	return []string{f.head()}
}

// reportedSection tells how objects differ that are only looked at.
func reportedSection(found []*finding) *section {
	out := &section{title: "Reported, and not written (type = \"ReportDiff\"):", what: "object", reserve: 8}
	equal := 0
	for _, one := range found {
		what := one.reported()
		if what == "" {
			equal += len(one.clusters)
			continue
		}
		lines := []string{one.head() + " " + what}
		if one.object.Exists {
			lines = append(lines, one.fields()...)
		}
		out.add(lines...)
	}
	if equal > 0 {
		out.tail = []string{"  " + words.Count(equal, "object") + " without a difference"}
	}
	return out
}

// reported says what is reported of an object, empty if there is no difference.
func (f *finding) reported() string {
	switch {
	case f.object.Obstacle != takeover.ObstacleNone:
		return "could not be compared: " + plain(f.object.Message, maxMessage)
	case !f.object.Exists:
		return "is not there"
	case len(f.object.Differences)+len(f.object.ObservedDiffs) > 0:
		return "differs"
	default:
		return ""
	}
}

// fields are the differences, one to a line of a section.
func (f *finding) fields() []string { return indented("      ", f.fieldTexts()) }

// fieldTexts are the differences, of many the first ones.
func (f *finding) fieldTexts() []string {
	var out []string
	for i, difference := range f.object.Differences {
		if i == maxDifferences {
			return append(out, "and "+words.Count(len(f.object.Differences)-i, "more field"))
		}
		out = append(out, sentence(difference, f.manager))
	}
	return out
}

func indented(indent string, lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = indent + line
	}
	return out
}

// patches tells differences that are only known as the status has them.
func (f *finding) patches(details []placement.PatchDetail) []string {
	var out []string
	for i, detail := range details {
		if i == maxDifferences {
			return append(out, "      and "+words.Count(len(details)-i, "more field"))
		}
		out = append(out, fmt.Sprintf("      %s: %s -> %s", plain(detail.Path, maxName), patchValue(detail.ValueInMember), patchValue(detail.ValueInHub)))
	}
	return out
}

// patchValue shows a value as the status has it, where what is absent is empty.
func patchValue(text string) string {
	if text == "" {
		return "absent or empty"
	}
	return plain(text, maxValue)
}
