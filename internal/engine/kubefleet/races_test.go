package kubefleet_test

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
)

// TestRaces checks that an apply changes nothing that its plan did not show, regardless of what other clients do between plan and apply.
func TestRaces(t *testing.T) {
	t.Parallel()
	enginetest.Races(t, fleet, 2)
}

// TestMemberRaces checks the same while labels and taints of members change.
func TestMemberRaces(t *testing.T) { //nolint:paralleltest // the taints keep the placements of other tests away
	enginetest.MemberRaces(t, fleet, 1)
}

// TestPolicyRaces checks the same while another client changes where and how the placement places.
func TestPolicyRaces(t *testing.T) {
	t.Parallel()
	enginetest.PolicyRaces(t, fleet, 1)
}
