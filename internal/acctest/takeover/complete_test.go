package takeover

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// everything is all cases that stand for a row or a worked case.
func everything() []scenario { return slices.Concat(decisions, reports, worked, denials) }

// Every row of the decision table and every worked case has a case here.
func TestEveryRowHasACase(t *testing.T) {
	t.Parallel()
	rows := []string{"D3-422", "D3-PUT"}
	for n := range 23 {
		rows = append(rows, fmt.Sprintf("D%d", n+1))
	}
	for n := range 10 {
		rows = append(rows, fmt.Sprintf("R%d", n+1))
	}
	for n := range 52 {
		rows = append(rows, fmt.Sprint(n+1))
	}
	known := map[string]bool{}
	for _, s := range everything() {
		known[s.row()] = true
	}
	for _, row := range rows {
		if !known[row] {
			t.Errorf("%s has no case", row)
		}
	}
}

// row is the row or the number that a case is named after.
func (s scenario) row() string {
	row, _, _ := strings.Cut(s.name, " ")
	return row
}

// Wherever a case says that the engine differs from KubeFleet, the documentation does, and the other way round.
func TestDifferencesAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "# Where the direct engine differs")
	table, _, _ = strings.Cut(table, "\n//\n// Besides")
	documented := map[string]bool{}
	for line := range strings.Lines(table) {
		cells, isRow := strings.CutPrefix(line, "//\t")
		if !isRow {
			continue
		}
		for _, row := range strings.Fields(cells[:min(8, len(cells)-1)] + " ") {
			documented[strings.TrimSuffix(row, ",")] = true
		}
	}
	differing := map[string]bool{}
	for _, s := range everything() {
		if s.differs == "" {
			continue
		}
		differing[s.row()] = true
		if !documented[s.row()] {
			t.Errorf("%q differs, which doc.go does not say", s.name)
		}
	}
	for row := range documented {
		if !differing[row] {
			t.Errorf("doc.go says that %q differs, and no case does", row)
		}
	}
}
