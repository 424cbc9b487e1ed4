package placementpreview

import (
	"slices"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestObstacleMeanings checks that the schema documents every obstacle once, in order.
func TestObstacleMeanings(t *testing.T) {
	t.Parallel()
	var documented []string
	for _, m := range obstacleMeanings {
		documented = append(documented, string(m.obstacle))
	}
	if want := takeover.Obstacle("").Values(); !slices.Equal(documented, want) {
		t.Errorf("documented: %v, want %v", documented, want)
	}
}
