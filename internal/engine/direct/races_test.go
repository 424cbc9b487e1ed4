package direct_test

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
)

// TestRaces runs one case in five unless all are asked for.
func TestRaces(t *testing.T) {
	t.Parallel()
	seeds := 40
	if testing.Short() {
		seeds = 8
	}
	enginetest.Races(t, fleet, seeds)
}
