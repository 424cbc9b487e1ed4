package direct_test

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestAssumedMembers checks the previews under assumptions about members.
func TestAssumedMembers(t *testing.T) {
	t.Parallel()
	enginetest.AssumedMembers(t, fleet, enginetest.Moves{Lost: true, Removed: takeover.ActionPrune})
}
