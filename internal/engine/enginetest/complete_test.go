package enginetest

import (
	"fmt"
	"testing"
)

// Every row of the decision table and every worked case has a test case, and the names of the cases are unique.
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
	names, known := map[string]bool{}, map[string]bool{}
	for _, name := range caseNames() {
		if names[name] {
			t.Errorf("two cases have the name %q", name)
		}
		names[name], known[rowOf(name)] = true, true
	}
	for _, row := range rows {
		if !known[row] {
			t.Errorf("%s has no case", row)
		}
	}
}
