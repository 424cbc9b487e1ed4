package model

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestIdentity checks that an object has one row for all clusters on which the same happens to it, though it is another object on each.
func TestIdentity(t *testing.T) {
	t.Parallel()
	one := engine.ObjectPreview{Action: takeover.ActionTakeOver, Exists: true, Mark: "=1", ResourceVersion: "7"}
	other := one
	other.Mark, other.ResourceVersion = "=2", "8"
	if identity(one) != identity(other) {
		t.Errorf("%s is not %s", identity(one), identity(other))
	}
	if other.Action = takeover.ActionUpdate; identity(one) == identity(other) {
		t.Error("two actions are the same")
	}
}
