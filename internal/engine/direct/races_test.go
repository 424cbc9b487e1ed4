package direct_test

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
)

// TestRaces checks that an apply changes nothing that its plan did not show, whatever others do meanwhile.
func TestRaces(t *testing.T) {
	t.Parallel()
	enginetest.Races(t, fleet, 8)
}
