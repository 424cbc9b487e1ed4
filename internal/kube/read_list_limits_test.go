package kube

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/transport"
)

// A page that is too large is requested again with a tenth of its limit, down to single objects.
func TestSmallerPages(t *testing.T) {
	l := pageGuard{limit: pageSize}
	tooLarge := fmt.Errorf("list: %w", &transport.TooLargeError{Limit: transport.MaxAnswer})
	for _, want := range []int{100, 10, 1} {
		if !l.reduceLimit(tooLarge) || l.limit != want {
			t.Errorf("the limit is %d, want %d", l.limit, want)
		}
	}
	if l.reduceLimit(tooLarge) {
		t.Error("a single object that is too large is requested again")
	}
	if other := (pageGuard{limit: pageSize}); other.reduceLimit(errors.New("refused")) {
		t.Error("a page is requested again for another error")
	}
}

// The objects of a list count with the memory of their values, so that few bytes with many values also reach the limit.
func TestBoundOfKeptObjects(t *testing.T) {
	for name, text := range map[string]string{
		"many values": "[" + strings.Repeat("{},", 30_000) + "{}]",
		"long text":   `"` + strings.Repeat("x", 3<<20) + `"`,
	} {
		var k keptSize
		objects := 0
		for err := error(nil); err == nil && objects < 100; objects++ {
			err = k.add([]rawObject{{text: []byte(text)}})
		}
		if objects < 30 || objects > 40 {
			t.Errorf("%s: the limit is reached with %d objects of 3 MiB", name, objects)
		}
	}
}
