// Package markdown writes a report as a comment on a pull request. The report has tables, and most of them are folded if they are long. Texts from clusters are
// in code spans and cannot be markup. A table counts the rows for which there is no space.
package markdown

import (
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

const (
	// MaxSize is the maximum size of a report in bytes. A report can be larger by the titles and heads of tables that have no space for rows. A comment on GitHub
	// has at most 65,536 characters, and the workflow that posts the report may add some.
	MaxSize  = 60000
	maxNotes = 20
)

// Options are the data of a report that are not in the model.
type Options struct {
	// Replaced is the reason why the placement is removed and created again, or "". If it is set, the report shows the removal and the creation.
	Replaced string
	// Notes are shown after those of the report.
	Notes []string
	// Assumptions are what the report assumes; nil if it assumes nothing.
	Assumptions *model.Assumptions
}

// Write returns the report as Markdown.
func Write(r *model.Report, options Options) string {
	var b strings.Builder
	verb := ""
	if options.Replaced != "" {
		verb = " will be REPLACED"
	}
	fmt.Fprintf(&b, "### Placement %s (%s)%s: %s\n\n%s", code(r.Placement), words.Count(r.Counts.Clusters, "cluster"), verb, r.Counts.Summary(code), writeAssumptions(options)+writeIntroduction(r, options))
	if r.Renaming != "" {
		b.WriteString(code(r.Renaming) + "\n\n")
	}
	s := r.Strategy
	fmt.Fprintf(&b, "`when_to_take_over` is %s, `comparison_option` %s, `when_to_apply` %s, `apply_strategy.type` %s.\n\n", code(string(s.WhenToTakeOver)),
		code(string(s.ComparisonOption)), code(string(s.WhenToApply)), code(string(s.Type)))
	end := writeEnd(r, options)
	tables := listTables(r, options.Replaced != "")
	wanted, reserved := make([]int, len(tables)), make([]int, len(tables))
	for i, t := range tables {
		wanted[i], reserved[i] = t.size(), t.reserve
	}
	for i, room := range model.Allot(wanted, reserved, MaxSize-b.Len()-len(end)) {
		if room > 0 {
			tables[i].write(&b, room)
		}
	}
	return strings.TrimRight(b.String()+end, "\n") + "\n"
}

// WriteNone returns the report of a placement without a preview.
func WriteNone(placement, why string) string {
	return fmt.Sprintf("### Placement %s: no preview\n\n%s\n", code(placement), code(why))
}

func writeAssumptions(options Options) string {
	if options.Assumptions == nil {
		return ""
	}
	assumed, moves := options.Assumptions.Describe(code)
	return "> **Assumed**: " + assumed + "\n>\n> " + moves + "\n\n"
}

func writeIntroduction(r *model.Report, options Options) string {
	if options.Replaced == "" {
		return ""
	}
	return "> **REPLACED**: " + r.DescribeReplacement(options.Replaced) + "\n\n"
}

func writeEnd(r *model.Report, options Options) string {
	var b strings.Builder
	notes := slices.Clone(r.Remarks)
	if r.Rollout != "" {
		notes = append(notes, r.Rollout)
	}
	notes = slices.Concat(notes, r.Cautions, r.Supplies, options.Notes)
	for _, note := range notes[:min(len(notes), maxNotes)] {
		b.WriteString("- " + code(note) + "\n")
	}
	if more := len(notes) - maxNotes; more > 0 {
		fmt.Fprintf(&b, "- and %d more\n", more)
	}
	if len(notes) > 0 {
		b.WriteString("\n")
	}
	for _, pieces := range r.Advice {
		b.WriteString("> " + strings.Join(pieces, " ") + "\n\n")
	}
	return b.String()
}
