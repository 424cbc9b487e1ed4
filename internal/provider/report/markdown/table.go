package markdown

import (
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// openRows is the maximum number of rows of a table that is not folded.
const openRows = 12

// table is a part of a report. Cells are Markdown, with texts from clusters in code spans.
type table struct {
	title string
	// intro is the text between the title and the table.
	intro string
	head  []string
	rows  []string
	// count is the number in the title. Each row adds the number of its clusters.
	count  int
	folded bool
	// reserve is the number of bytes for the table even if the tables before it are long.
	reserve int
}

func (t *table) row(count int, cells ...string) {
	t.count += count
	t.rows = append(t.rows, "| "+strings.Join(cells, " | ")+" |\n")
}

func (t *table) about(object string, clusters []string, cells ...string) {
	t.row(len(clusters), append([]string{code(object), codes(clusters)}, cells...)...)
}

func (t *table) introduced(text string) *table {
	t.intro = text
	return t
}

func (t *table) folds() *table {
	t.folded = t.folded || len(t.rows) > openRows
	return t
}

func (t *table) frame() (before, after string) {
	title := fmt.Sprintf("%s (%d)", t.title, t.count)
	before, after = "#### "+title+"\n\n", "\n"
	if t.folded {
		before, after = "<details><summary>"+title+"</summary>\n\n", "\n</details>\n\n"
	}
	if t.intro != "" {
		before += t.intro + "\n\n"
	}
	return before + "| " + strings.Join(t.head, " | ") + " |\n|" + strings.Repeat("---|", len(t.head)) + "\n", after
}

// writeOmission returns the text that replaces n omitted rows. The text has at most omissionSize bytes.
func writeOmission(n int) string {
	return fmt.Sprintf("\n%s left out.\n", words.Count(n, "more row"))
}

const omissionSize = len("\n1000000000 more rows left out.\n")

func (t *table) size() int {
	if len(t.rows) == 0 {
		return 0
	}
	before, after := t.frame()
	size := len(before) + len(after) + omissionSize
	for _, row := range t.rows {
		size += len(row)
	}
	return size
}

// write writes the rows that fit into room bytes, and counts the others. It always writes the frame: title, introduction and head.
func (t *table) write(b *strings.Builder, room int) {
	before, after := t.frame()
	room -= len(before) + len(after) + omissionSize
	b.WriteString(before)
	for i, row := range t.rows {
		if room -= len(row); room < 0 {
			b.WriteString(writeOmission(len(t.rows) - i))
			break
		}
		b.WriteString(row)
	}
	b.WriteString(after)
}
