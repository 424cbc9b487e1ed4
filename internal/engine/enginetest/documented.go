package enginetest

import (
	"os"
	"strings"
	"testing"
)

// rowsWidth is the width of the column with the rows in a documented table of deviations.
const rowsWidth = 8

// Documented checks that the deviations of an engine match the table in a comment of a file. A line of the table is a tab, the rows in a column of eight
// characters, and the difference.
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
			t.Errorf("%q deviates, but %s does not list it", name, file)
		}
	}
	for row := range documented {
		if !differing[row] {
			t.Errorf("%s lists %q, but no case of that row deviates", file, row)
		}
	}
}

// rowOf returns the row or the number at the start of a case's name.
func rowOf(name string) string {
	row, _, _ := strings.Cut(name, " ")
	return row
}
