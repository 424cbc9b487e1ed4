package html

import (
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

// Options are the data of a report that are not in the model.
type Options struct {
	// Quiet are the objects that are created or remain unchanged, as [model.ListQuiet] returns them.
	Quiet []*model.Row
	// Introduction says what the report assumes, and why the placement is removed and created again.
	Introduction []string
	// Assumed names the assumptions of the preview in a few words. It is "" if the preview makes no assumptions.
	Assumed string
	// Notes are shown after those of the report.
	Notes []string
}

// Pack returns the data of a report for [Page]. Equal reports have equal data.
func Pack(r *model.Report, options Options) (string, error) {
	p := packer{
		report: r, texts: newTable[string](), details: newTable[[2]int](), fields: newTable[[5]int](), outcomes: newTable[string](), effects: newTable[string](),
		columns: map[string]int{}, rows: map[string]int{},
	}
	out := &p.document
	out.Format, out.Placement = Format, r.Placement
	if options.Assumed != "" {
		out.Placement, out.Assumed = out.Placement+" (assumed: "+options.Assumed+")", true
	}
	out.Heading = fmt.Sprintf("Placement %s (%s): %s", r.Placement, words.Count(r.Counts.Clusters, "cluster"), r.Counts.Summary(asIs))
	out.Introduction = slices.Clone(options.Introduction)
	if r.Renaming != "" {
		out.Introduction = append(out.Introduction, r.Renaming)
	}
	s := r.Strategy
	out.Settings = []setting{
		{"when_to_take_over", string(s.WhenToTakeOver)}, {"comparison_option", string(s.ComparisonOption)}, {"when_to_apply", string(s.WhenToApply)},
		{"apply_strategy.type", string(s.Type)},
	}
	out.Notes = slices.Clone(r.Remarks)
	if r.Rollout != "" {
		out.Notes = append(out.Notes, r.Rollout)
	}
	out.Notes = slices.Concat(out.Notes, r.Cautions, r.Supplies, options.Notes)
	for _, pieces := range r.Advice {
		out.Advice = append(out.Advice, strings.Join(pieces, " "))
	}
	for i, c := range r.Clusters {
		out.Clusters = append(out.Clusters, describeCluster(c))
		p.columns[c.Name] = i
	}
	p.addRows(options.Quiet)
	return encode(p.finish())
}

// PackNone returns the data of a placement without a preview.
func PackNone(placement, why string) (string, error) {
	return encode(&document{Format: Format, Placement: placement, Missing: why})
}

func asIs(name string) string { return name }

type table[T comparable] struct {
	values []T
	known  map[T]int
}

func newTable[T comparable]() *table[T] { return &table[T]{known: map[T]int{}} }

func (t *table[T]) index(value T) int {
	i, is := t.known[value]
	if !is {
		i = len(t.values)
		t.known[value] = i
		t.values = append(t.values, value)
	}
	return i
}

// packer builds a document. Its tables identify effects and outcomes by their text in the format %v. columns has the index of each cluster, and rows
// the index of each object. cells[row][column] are the effects on an object on a cluster.
type packer struct {
	document document
	report   *model.Report
	texts    *table[string]
	details  *table[[2]int]
	fields   *table[[5]int]
	effects  *table[string]
	outcomes *table[string]
	columns  map[string]int
	rows     map[string]int
	cells    [][][]int
}

func (p *packer) addRows(quiet []*model.Row) {
	for _, word := range takeover.Action("").Values() {
		for _, row := range p.report.Rows[takeover.Action(word)] {
			p.addRow(row)
		}
	}
	for _, row := range quiet {
		p.addRow(row)
	}
	for _, l := range p.report.Missing {
		p.add(unavailable, l.Object, l.Clusters, true, describeLacking(l), nil)
	}
}

func (p *packer) addRow(row *model.Row) {
	action := string(row.Action)
	if row.Again {
		action = again
	}
	p.add(action, row.Object, row.Clusters, row.Weighs, describeRow(p.report, row), row.Fields)
	if row.RemainsDrifted {
		p.add(string(takeover.ActionLeaveDrifted), row.Object, row.Clusters, row.Weighs, nil, nil)
	}
	if row.Overwrites {
		p.add(overwrite, row.Object, row.Clusters, true, nil, nil)
	}
	if text := row.Restarts(); text != "" {
		p.add(restart, row.Object, row.Clusters, true, []detail{{"Pods", text}, {"Because of", strings.Join(row.RestartCauses, ", ")}}, nil)
	}
}

func (p *packer) add(action, object string, clusters []string, weighs bool, details []detail, fields []model.Field) {
	pairs, differing := []int{}, []int{}
	for _, d := range details {
		if d.text != "" {
			pairs = append(pairs, p.details.index([2]int{p.texts.index(d.label), p.texts.index(d.text)}))
		}
	}
	for _, field := range fields {
		differing = append(differing, p.fields.index(p.packField(field)))
	}
	effect := p.effects.index(fmt.Sprint(action, weighs, pairs, differing))
	if e := &p.document.Effects; effect == len(e.Actions) {
		e.Actions = append(e.Actions, p.texts.index(action))
		e.Weighs = append(e.Weighs, flag(weighs, 1))
		e.Details, e.Fields = append(e.Details, pairs), append(e.Fields, differing)
	}
	row, is := p.rows[object]
	if !is {
		row = len(p.cells)
		p.rows[object] = row
		p.document.Objects = append(p.document.Objects, p.texts.index(object))
		p.cells = append(p.cells, make([][]int, len(p.columns)))
	}
	for _, name := range clusters {
		column := p.columns[name]
		p.cells[row][column] = append(p.cells[row][column], effect)
	}
}

const maxValue = 1000

func (p *packer) packField(field model.Field) [5]int {
	shown := func(v model.Value) int {
		if v.Absent != "" {
			return p.texts.index(v.Absent)
		}
		return p.texts.index(printable.Cut(v.Text, maxValue))
	}
	flags := flag(field.Current.Absent != "", currentAbsent) | flag(field.Desired.Absent != "", desiredAbsent) | flag(field.Immutable, isImmutable)
	return [5]int{p.texts.index(field.Name), shown(field.Current), p.texts.index(field.SetBy), shown(field.Desired), flags}
}

func flag(is bool, value int) int {
	if is {
		return value
	}
	return 0
}

func (p *packer) finish() *document {
	for _, row := range p.cells {
		var runs []int
		for _, effects := range row {
			value := 0
			if len(effects) > 0 {
				value = 1 + p.outcomes.index(fmt.Sprint(effects))
				if value > len(p.document.Outcomes) {
					p.document.Outcomes = append(p.document.Outcomes, effects)
				}
			}
			if n := len(runs); n > 0 && runs[n-2] == value {
				runs[n-1]++
			} else {
				runs = append(runs, value, 1)
			}
		}
		p.document.Cells = append(p.document.Cells, runs)
	}
	p.document.Texts, p.document.Details, p.document.Fields = p.texts.values, p.details.values, p.fields.values
	return &p.document
}
