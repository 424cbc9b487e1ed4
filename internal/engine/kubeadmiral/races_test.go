package kubeadmiral_test

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
)

// TestRaces checks that an apply changes nothing that its plan did not show, whatever others do between the two.
func TestRaces(t *testing.T) {
	t.Parallel()
	seeds := 40
	if testing.Short() {
		seeds = 4
	}
	enginetest.Races(t, fleet, seeds)
}
