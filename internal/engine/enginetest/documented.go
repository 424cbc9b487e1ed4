package enginetest

import (
	"os"
	"strings"
	"testing"
)

// rowIDWidth is the width of the first column of a documented table of deviations. This column lists row IDs such as D1.
const rowIDWidth = 8

// Documented checks that the deviations of an engine match the table in a comment of a file. Each line of the table has a tab, the row IDs in a column of eight
// characters, and the description of the difference.
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
		for _, row := range strings.Fields(cells[:min(rowIDWidth, len(cells))]) {
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

// rowOf returns the row ID at the start of the name of a case, such as D1 or 36.
func rowOf(name string) string {
	row, _, _ := strings.Cut(name, " ")
	return row
}
