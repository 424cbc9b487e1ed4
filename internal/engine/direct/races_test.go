package direct_test

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
)

// TestRaces checks that an apply changes nothing that its plan did not show, regardless of what others change between plan and apply.
func TestRaces(t *testing.T) {
	t.Parallel()
	enginetest.Races(t, fleet, 4)
}

// TestMemberRaces checks the same while labels and taints of members change.
func TestMemberRaces(t *testing.T) { //nolint:paralleltest // the taints repel the placements of other tests
	enginetest.MemberRaces(t, fleet, 1)
}
