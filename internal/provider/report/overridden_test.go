package report

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

// TestOverridden checks what the plan of an override shows, and what it warns of.
func TestOverridden(t *testing.T) {
	t.Parallel()
	field := func(name string, from, to any) diff.Difference {
		return diff.Difference{Field: name, InMember: from, HasMember: from != nil, InHub: to, HasHub: to != nil}
	}
	object := func(kind, name string, differences ...diff.Difference) engine.OverriddenObject {
		return engine.OverriddenObject{Identifier: manifest.Identifier{Version: "v1", Kind: kind, Namespace: "shop", Name: name}, Differences: differences}
	}
	on := func(name string, objects ...engine.OverriddenObject) engine.OverriddenCluster {
		return engine.OverriddenCluster{Name: name, Objects: objects}
	}
	scaled := object("Deployment", "web", field("spec.replicas", int64(2), int64(3)))
	secret := object("Secret", "keys", field("data.key", diff.Redacted, diff.Redacted), field("data.new", nil, diff.Redacted), field("metadata.labels.a", "b", nil))
	left, placed := object("ConfigMap", "left"), object("ConfigMap", "placed")
	left.LeftOut, placed.Placed = true, true
	changed := engine.OverridePreview{Placements: []engine.OverriddenPlacement{
		{Placement: "shop", Clusters: []engine.OverriddenCluster{on("member-1", scaled, secret), on("member-2", scaled), on("member-3", left, placed)}},
		{Placement: "web", Clusters: []engine.OverriddenCluster{on("member-1", scaled)}},
	}}
	broken := changed
	broken.Placements = append([]engine.OverriddenPlacement{
		{Placement: "odd", Err: errors.New("no such namespace")},
		{Placement: "app", Clusters: []engine.OverriddenCluster{{Name: "member-1", Err: errors.New("the path does not exist")}}},
	}, changed.Placements...)
	broken.Missed = []engine.MissedCluster{{Cluster: "member-9", Err: errors.New("connection refused")}}
	var many engine.OverridePreview
	for i := range 30 {
		many.Placements = append(many.Placements, engine.OverriddenPlacement{
			Placement: fmt.Sprintf("web-%d", i), Clusters: []engine.OverriddenCluster{on("member-1", scaled), on("member-2", scaled)},
		})
	}
	isWeb := func(name string) bool { return name == "web" }
	for name, c := range map[string]struct {
		change Overriding
		found  engine.OverridePreview
	}{
		"overridden":                {Overriding{Shown: true}, changed},
		"overridden-by-hub":         {Overriding{Shown: true, ByHub: true}, changed},
		"overridden-in-warning":     {Overriding{}, changed},
		"overridden-planned-before": {Overriding{Shown: true, Planned: isWeb}, changed},
		"overridden-removed":        {Overriding{Removed: true, Planned: isWeb}, changed},
		"overridden-broken":         {Overriding{Shown: true}, broken},
		"overridden-many":           {Overriding{Planned: isWeb}, many},
		"overridden-nothing":        {Overriding{}, engine.OverridePreview{}},
	} {
		t.Run(name, func(t *testing.T) {
			var diags diag.Diagnostics
			c.change.What = "ResourceOverride shop/web"
			changes := Overridden(&diags, c.change, c.found)
			text := "planned_changes:\n" + changes + "\n"
			for _, d := range diags {
				text += "\n" + d.Severity().String() + ": " + d.Summary() + "\n\n" + d.Detail() + "\n"
			}
			golden(t, name, text)
			if lines := strings.Count(changes, "\n"); lines > plain.MaxChanges {
				t.Errorf("the changes have %d lines", lines)
			}
		})
	}
}
