package placement

import "testing"

// TestIsOf checks that a condition observed before a change of the spec does not count for the change.
func TestIsOf(t *testing.T) {
	t.Parallel()
	s := Status{Conditions: []Condition{{Type: ClusterResourcePlacementPrefix + Available, Status: True, ObservedGeneration: 2}}}
	for generation, want := range map[int64]bool{0: true, 2: true, 3: false} {
		if got := s.IsOf(Available, generation); got != want {
			t.Errorf("%d: %v", generation, got)
		}
	}
	if !s.Is(Available) || s.Is(Applied) {
		t.Error("a condition without a requested generation depends on it")
	}
}
