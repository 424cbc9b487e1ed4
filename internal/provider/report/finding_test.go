package report

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestSameness checks that an object is reported once for all clusters on which the same happens to it, though it is another object on each.
func TestSameness(t *testing.T) {
	t.Parallel()
	one := engine.ObjectPreview{Identifier: deployment, Action: takeover.ActionTakeOver, Exists: true, Mark: "=1", ResourceVersion: "7"}
	other := one
	other.Mark, other.ResourceVersion = "=2", "8"
	if sameness(one) != sameness(other) {
		t.Errorf("%s is not %s", sameness(one), sameness(other))
	}
	if other.Action = takeover.ActionUpdate; sameness(one) == sameness(other) {
		t.Error("two actions are the same")
	}
}
