package placement

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestConditionTypesAreComplete checks that the other places that list condition types and phases have all of them.
func TestConditionTypesAreComplete(t *testing.T) {
	var own []string
	for _, text := range aggregates {
		own = append(own, text.conditionType)
	}
	if want := conditionTypes[1:]; !slices.Equal(own, want) { // the scheduling policy determines Scheduled
		t.Errorf("a placement as a whole has the conditions %v, its clusters %v", own, want)
	}
	var ranked []string
	for _, phase := range phasesFromWorst {
		ranked = append(ranked, string(phase))
	}
	slices.Sort(ranked)
	if want := slices.Sorted(slices.Values(Phase("").Values())); !slices.Equal(ranked, want) {
		t.Errorf("the phases %v have a rank, not %v", ranked, want)
	}
	guide, err := os.ReadFile("../../../templates/guides/status.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, conditionType := range conditionTypes {
		if row := "\n| `" + conditionType + "` | `" + ClusterResourcePlacementPrefix + conditionType + "` |"; !strings.Contains(string(guide), row) {
			t.Errorf("the guide about the status has no row%s", row)
		}
	}
	for _, phase := range Phase("").Values() {
		if row := "\n| `" + phase + "` |"; !strings.Contains(string(guide), row) {
			t.Errorf("the guide about the status has no row%s", row)
		}
	}
}
