package enginetest

import (
	"os"
	"strings"
	"testing"
)

// rowsWidth is that of the column with the rows, in a table of deviations that is a comment.
const rowsWidth = 8

// Documented holds the deviations of an engine against the table in a comment of a file, whose lines are a tab, the rows in a column of
// eight characters, and what is different.
func Documented(t *testing.T, deviations Deviations, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		cells, isRow := strings.CutPrefix(line, "//\t")
		if !isRow {
			continue
		}
		for _, row := range strings.Fields(cells[:min(rowsWidth, len(cells))]) {
			documented[strings.TrimSuffix(row, ",")] = true
		}
	}
	differing := map[string]bool{}
	for name := range deviations {
		row := rowOf(name)
		differing[row] = true
		if !documented[row] {
			t.Errorf("%q differs, which %s does not say", name, file)
		}
	}
	for row := range documented {
		if !differing[row] {
			t.Errorf("%s says that %q differs, and no case does", file, row)
		}
	}
}

// rowOf is the row or the number that a case is named after.
func rowOf(name string) string {
	row, _, _ := strings.Cut(name, " ")
	return row
}
