package report

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestMarkdownOfReplacement checks that the report of a replacement gives the reason, and says which deletions depend on other removals.
func TestMarkdownOfReplacement(t *testing.T) {
	occupied := engine.ObjectPreview{
		Identifier: namespace, Action: takeover.ActionDefer, Obstacle: takeover.ObstacleOccupied, Exists: true, Owned: true, Problem: `it contains objects of the placement "guest"`,
	}
	preview := of(on("member-1", occupied, engine.ObjectPreview{Identifier: service, Action: takeover.ActionPrune, Exists: true, Owned: true}))
	for why, want := range map[Replaces]string{
		"": "### Placement `web` (1 cluster): ", Retyped: "> **REPLACED**: the `placement_type` changes, so the apply DELETES", Renamed: "> **REPLACED**: the name changes, so",
		Requested: "> **REPLACED**: the resource is tainted, or its replacement was requested, so",
	} {
		text := Markdown(preview, strategy(placement.TakeOverAlways), Additions{Replaces: why})
		for _, want := range []string{want, "| `Namespace web` | `member-1` | **deleted** if the run removes another placement as well: `it contains objects of the placement \"guest\"` |"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q: no %q in:\n%s", why, want, text)
			}
		}
	}
}
