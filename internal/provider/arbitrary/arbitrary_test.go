package arbitrary

import (
	"slices"
	"testing"
)

type color string

func (color) Values() []string { return []string{"green", "red"} }

type shape struct {
	Color *color
	Parts []shape
}

// TestUnseen checks that Unseen lists every value of an enumeration without generated values.
func TestUnseen(t *testing.T) {
	t.Parallel()
	g := New(t)
	if unseen := g.Unseen(); len(unseen) > 0 {
		t.Errorf("without a value: %q", unseen)
	}
	for Value[*shape](g) != nil {
		clear(g.seen)
	}
	if unseen := g.Unseen(); !slices.Equal(unseen, []string{"arbitrary.color green", "arbitrary.color red"}) {
		t.Errorf("with a nil pointer: %q", unseen)
	}
	for range 100 {
		Value[shape](g)
	}
	if unseen := g.Unseen(); len(unseen) > 0 {
		t.Errorf("after 100 values: %q", unseen)
	}
}
