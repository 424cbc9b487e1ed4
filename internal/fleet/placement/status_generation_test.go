package placement

import "testing"

// A condition that was told of the spec before it was changed says nothing of the change.
func TestIsOf(t *testing.T) {
	t.Parallel()
	s := Status{Conditions: []Condition{{Type: ClusterResourcePlacementPrefix + Available, Status: True, ObservedGeneration: 2}}}
	for generation, want := range map[int64]bool{0: true, 2: true, 3: false} {
		if got := s.IsOf(Available, generation); got != want {
			t.Errorf("%d: %v", generation, got)
		}
	}
	if !s.Is(Available) || s.Is(Applied) {
		t.Error("the generation counts where none is asked for")
	}
}
