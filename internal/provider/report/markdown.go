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

const (
	// maxMarkdown is how many bytes a report has at most; a comment on GitHub takes 65,536 characters, and the workflow that posts the report
	// may want to add a few.
	maxMarkdown = 60000
	// openRows is how many rows a table has at most that stands open.
	openRows = 12
	// maxNotes is how many notes there are.
	maxNotes = 20
)

// Markdown tells what an apply would do in the form of a comment on a pull request: what needs a look in tables, long parts folded. What
// comes from clusters is shown as it is and cannot be markup, and what does not fit into 60,000 bytes is counted.
func Markdown(preview *engine.Preview, strategy placement.ApplyStrategy, options MarkdownOptions) string {
	var b strings.Builder
	counts := count(preview)
	counts.countDrifts(preview, strategy)
	fmt.Fprintf(&b, "### Placement %s (%s)%s: %s\n\n", code(plain(preview.Placement, maxName)), words.Count(counts.clusters, "cluster"), options.verb(),
		counts.summary(code))
	b.WriteString(options.introduction(preview))
	if renamed := renaming(preview); renamed != "" {
		b.WriteString(code(renamed) + "\n\n")
	}
	fmt.Fprintf(&b, "`when_to_take_over` is %s, `comparison_option` %s, `when_to_apply` %s, `type` %s.\n\n", code(string(strategy.WhenToTakeOver)),
		code(string(strategy.ComparisonOption)), code(string(strategy.WhenToApply)), code(string(strategy.Type)))
	var end strings.Builder
	notes := slices.Concat(notes(preview), supplyNotes(preview), options.notes())
	for i, note := range notes {
		if i == maxNotes {
			fmt.Fprintf(&end, "- and %d more\n", len(notes)-i)
			break
		}
		fmt.Fprintf(&end, "- %s\n", code(note))
	}
	if len(notes) > 0 {
		end.WriteString("\n")
	}
	for _, paragraph := range advice(preview, counts, Plan{Strategy: strategy}) {
		end.WriteString("> " + paragraph + "\n\n")
	}
	tables := tables(preview, strategy, options)
	wanted, reserved := make([]int, len(tables)), make([]int, len(tables))
	for i, t := range tables {
		wanted[i], reserved[i] = t.size(), t.reserve
	}
	for i, room := range allot(wanted, reserved, maxMarkdown-b.Len()-end.Len()) {
		if room > 0 {
			tables[i].write(&b, room)
		}
	}
	b.WriteString(end.String())
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// NoMarkdown is the report of a placement without a preview.
func NoMarkdown(placement, why string) string {
	return fmt.Sprintf("### Placement %s: no preview\n\n%s\n", code(plain(placement, maxName)), code(plain(why, maxError)))
}

// tables are the parts of the report, in order.
func tables(preview *engine.Preview, strategy placement.ApplyStrategy, options MarkdownOptions) []*table {
	found := findings(preview)
	return []*table{
		conflictTable(found, strategy),
		takenFromTable(found[takeover.ActionTakeOverFrom]),
		restartTable(found),
		replacementTable(found[takeover.ActionReplace]),
		unplaceableTable(preview, found[takeover.ActionReject]),
		arrivalTable(preview),
		missingTable(preview),
		driftTable(notUpdated(found), strategy),
		reportTable(found[takeover.ActionReport]),
		removalTable(preview, found, options),
		clusterTable(preview),
		fieldTable("Fields that differ, with both values", 12000, found[takeover.ActionLeaveAlone], found[takeover.ActionTakeOver], found[takeover.ActionTakeOverFrom],
			found[takeover.ActionLeaveDrifted], found[takeover.ActionReport]),
		fieldTable("Fields that updates write", 3000, found[takeover.ActionUpdate]),
	}
}

// fold folds a table that is long.
func fold(t *table) *table {
	t.folded = t.folded || len(t.rows) > openRows
	return t
}

func (f *finding) cell() string { return code(f.title()) }

func (f *finding) where() string { return codes(f.clusters) }

// differing names the fields that differ.
func (f *finding) differing() string {
	var names []string
	for _, difference := range f.object.Differences {
		names = append(names, field(difference))
	}
	return codes(names)
}

func conflictTable(found map[takeover.Action][]*finding, strategy placement.ApplyStrategy) *table {
	out := &table{
		title: "Objects that exist already and are not the placement's own",
		head:  []string{"Object", "On", "Owner", "What happens", "Differs in"}, reserve: 12000,
	}
	for _, f := range found[takeover.ActionLeaveAlone] {
		what := "**not taken over**: " + code(plain(f.object.Reason, maxName))
		if obstacle := f.obstacle(); obstacle != "" {
			what += " " + code(obstacle)
		}
		out.row(len(f.clusters), f.cell(), f.where(), code(f.owner()), what, f.differingOrNone())
	}
	for _, f := range found[takeover.ActionTakeOver] {
		what := "taken over"
		if len(f.object.Differences) > 0 {
			what = "**taken over and overwritten**"
		}
		if willDrift(f.object, strategy) {
			what += ", reported as drifted: " + codes(f.driftPaths())
		}
		out.row(len(f.clusters), f.cell(), f.where(), code(f.owner()), what, f.differingOrNone())
	}
	return out
}

func (f *finding) differingOrNone() string {
	if len(f.object.Differences) == 0 {
		return f.equality()
	}
	return f.differing()
}

func unplaceableTable(preview *engine.Preview, found []*finding) *table {
	out := &table{
		title: "Objects that cannot be placed", intro: "They cannot be placed as things are now; " + retries(preview) + ".",
		head: []string{"Object", "On", "Reason", "Message"}, reserve: 5000,
	}
	for _, f := range found {
		out.row(len(f.clusters), f.cell(), f.where(), code(plain(f.object.Reason, maxName)), code(f.obstacle()))
	}
	return fold(out)
}

func driftTable(found []*finding, strategy placement.ApplyStrategy) *table {
	out := &table{
		title: "Drifted objects that are not updated",
		intro: "They are the placement's own, others have changed them, and `when_to_apply` is " + code(string(strategy.WhenToApply)) + ".",
		head:  []string{"Object", "On", "Reason", "Differs in"}, reserve: 5000,
	}
	for _, f := range found {
		fields := f.differing()
		if fields == "" {
			fields = codes(f.driftPaths())
		}
		out.row(len(f.clusters), f.cell(), f.where(), code(plain(f.object.Reason, maxName)), fields)
	}
	return fold(out)
}

func reportTable(found []*finding) *table {
	out := &table{
		title: "Objects that are reported and not written", head: []string{"Object", "On", "Owner", "Report", "Differs in"}, reserve: 6000,
	}
	equal := 0
	for _, f := range found {
		what := f.reported()
		switch {
		case what == "":
			equal += len(f.clusters)
			continue
		case f.object.Obstacle != takeover.ObstacleNone:
			what = "could not be compared: " + code(plain(f.object.Message, maxMessage))
		}
		fields := ""
		if f.object.Exists {
			fields = f.differing()
		}
		out.row(len(f.clusters), f.cell(), f.where(), code(f.owner()), what, fields)
	}
	if equal > 0 {
		out.intro = "Not listed: " + words.Count(equal, "object") + " without a difference."
	}
	return fold(out)
}

func replacementTable(found []*finding) *table {
	out := &table{
		title: "Objects that are deleted and recreated", head: []string{"Object", "On", "What is deleted with it", "Why"}, reserve: 6000,
	}
	for _, f := range found {
		out.row(len(f.clusters), f.cell(), f.where(), perishes(f.object), code(plain(f.object.Problem, maxMessage)))
	}
	return out
}

func removalTable(preview *engine.Preview, found map[takeover.Action][]*finding, options MarkdownOptions) *table {
	out := &table{title: options.removalTitle(), head: []string{"Object", "On", "What happens"}, reserve: 5000}
	for _, f := range found[takeover.ActionPrune] {
		what := "**deleted**"
		if more := perishes(f.object); more != "" {
			what += ", " + more
		}
		if preview.External {
			what += byRun
		}
		out.row(len(f.clusters), f.cell(), f.where(), what)
	}
	for _, f := range found[takeover.ActionHandOver] {
		out.row(len(f.clusters), f.cell(), f.where(), f.handedOverCell())
	}
	for _, f := range found[takeover.ActionOrphan] {
		what := "left on the cluster (orphaned)"
		if preview.Predicted && f.object.Obstacle == takeover.ObstacleContents {
			what = "left on the cluster"
		}
		if obstacle := f.obstacle(); obstacle != "" {
			what += ": " + code(obstacle)
		}
		out.row(len(f.clusters), f.cell(), f.where(), what)
	}
	for _, f := range found[takeover.ActionNone] {
		out.row(len(f.clusters), f.cell(), f.where(), "left on the cluster: "+code(f.obstacle()))
	}
	for _, f := range found[takeover.ActionDefer] {
		what := "left for the next apply, because no plan has shown its deletion"
		if f.object.Obstacle == takeover.ObstacleOccupied {
			what = "**deleted** if the run removes another placement as well: " + code(f.obstacle())
		}
		out.row(len(f.clusters), f.cell(), f.where(), what)
	}
	for _, f := range found[takeover.ActionUnknown] {
		out.row(len(f.clusters), f.cell(), f.where(), "to be removed, and could not be checked")
	}
	return out
}

// fieldTable shows the differences with their values.
func fieldTable(title string, reserve int, groups ...[]*finding) *table {
	out := &table{title: title, head: []string{"Object", "On", "Field", "On the cluster", "Written by", "To be placed"}, folded: true, reserve: reserve}
	for _, group := range groups {
		for _, f := range group {
			if !f.object.Exists && f.object.Action != takeover.ActionUpdate {
				continue
			}
			for _, d := range f.object.Differences {
				name := code(field(d))
				if d.Immutable {
					name += " (immutable)"
				}
				out.row(len(f.clusters), f.cell(), f.where(), name, side(d.InMember, d.HasMember), code(author(d)), side(d.InHub, d.HasHub))
			}
			if len(f.object.Differences) == 0 && f.object.Action == takeover.ActionLeaveDrifted {
				for _, detail := range f.object.ObservedDrifts {
					out.row(len(f.clusters), f.cell(), f.where(), code(plain(detail.Path, maxName)), patchSide(detail.ValueInMember), "",
						patchSide(detail.ValueInHub))
				}
			}
		}
	}
	return out
}

func side(v any, there bool) string {
	if !there {
		return "absent"
	}
	return code(value(v, there, 2*maxValue+50))
}

func patchSide(text string) string {
	if text == "" {
		return "absent or empty"
	}
	return code(plain(text, 2*maxValue))
}

// said is what is told of a cluster, without its name.
func said(cluster engine.ClusterPreview, text string) string {
	return code(plain(impersonal(text, cluster.Name), maxMessage))
}

func clusterTable(preview *engine.Preview) *table {
	out := &table{title: "Clusters", head: []string{"Cluster", "Picked", "Why", "What happens", "Checked with"}, reserve: 10000}
	type row struct{ picked, what, look, why string }
	var order []row
	names := map[row][]string{}
	scored := scores(preview)
	for _, cluster := range preview.Clusters {
		one := row{picked: "no", what: withRecord(cluster, tally(cluster)), look: checkedWith(cluster), why: said(cluster, cluster.Cause)}
		if text := lost(cluster, recordedAnew); text != "" {
			one.what = clauses(one.what, code(text))
		}
		if cluster.Picked {
			one.picked = "yes"
		}
		if s := cluster.Score; scored && s != nil {
			one.picked += fmt.Sprintf(", affinity score %d, topology spread score %d", s.Affinity, s.TopologySpread)
		}
		switch {
		case cluster.Problem != "":
			one.what, one.look = "**cannot be placed**: "+said(cluster, cluster.Problem), ""
		case cluster.Err != nil:
			one.what, one.look = "not known", "**not checked**: "+said(cluster, cluster.Err.Error())
			if cluster.Remains {
				one.what = "**no longer picked**: its objects remain until an apply reaches the cluster"
			}
		case !busy(cluster):
			one.look = ""
		}
		if cluster.Joining {
			one.what += ", after joining the fleet"
		}
		if names[one] == nil {
			order = append(order, one)
		}
		names[one] = append(names[one], plain(cluster.Name, maxName))
	}
	for _, one := range order {
		out.row(len(names[one]), codes(names[one]), one.picked, one.why, one.what, one.look)
	}
	return fold(out)
}
