package direct_test

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
)

// TestDryRunsOnce checks that an apply does not repeat the dry runs of its plan.
func TestDryRunsOnce(t *testing.T) {
	t.Parallel()
	enginetest.DryRunsOnce(t, fleet)
}
