package report

import (
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// table is a part of a Markdown report. Cells are Markdown; what comes from clusters is escaped in them.
type table struct {
	title string
	// intro stands between the title and the table.
	intro string
	head  []string
	rows  []string
	// count is how many things the rows are about: one is often about several clusters.
	count int
	// folded tables have to be opened.
	folded bool
	// reserve is how many bytes the table gets though others before it are long.
	reserve int
}

// row adds a row about so many things.
func (t *table) row(count int, cells ...string) {
	t.count += count
	t.rows = append(t.rows, "| "+strings.Join(cells, " | ")+" |\n")
}

// frame is what stands around the rows.
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

// omission is what stands for rows that are left out; its length hardly depends on how many they are.
func (t *table) omission(n int) string { return fmt.Sprintf("\n%s left out.\n", words.Count(n, "more row")) }

const omissionSize = len("\n1000000000 more rows left out.\n")

// size is how many bytes the whole table takes.
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

// write writes as many rows as there is room for, and counts the others.
func (t *table) write(b *strings.Builder, room int) {
	before, after := t.frame()
	room -= len(before) + len(after) + omissionSize
	b.WriteString(before)
	for i, row := range t.rows {
		if room -= len(row); room < 0 {
			b.WriteString(t.omission(len(t.rows) - i))
			break
		}
		b.WriteString(row)
	}
	b.WriteString(after)
}
