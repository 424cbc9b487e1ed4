package report

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

// TestConsequencesOnUncheckedCluster checks that a plan names the clusters that it could not check.
func TestConsequencesOnUncheckedCluster(t *testing.T) {
	t.Parallel()
	found := []engine.Consequence{{Placement: "app", Preview: &engine.Preview{Clusters: []engine.ClusterPreview{
		{Name: "member-1", Picked: true}, {Name: "member-2", Picked: true, Err: errors.New("it does not answer")},
	}}}}
	for _, required := range []bool{false, true} {
		var diags diag.Diagnostics
		Consequences(&diags, "envelope app/a", found, required)
		if len(diags) != 1 || diags.HasError() != required || diags[0].Summary() != "The hub acts on envelope app/a immediately: 1 cluster not checked" ||
			!strings.Contains(diags[0].Detail(), "Placement \"app\":\n  NOT CHECKED: member-2: it does not answer") {
			t.Errorf("required %v: %v", required, diags)
		}
	}
}

// TestConsequencesOfLeavingMember checks that a warning lists the objects that remain because the member leaves, and no objects that remain for another reason.
func TestConsequencesOfLeavingMember(t *testing.T) {
	t.Parallel()
	object := func(name string, obstacle takeover.Obstacle, problem string) engine.ObjectPreview {
		return engine.ObjectPreview{
			Identifier: manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "app", Name: name}, Action: takeover.ActionOrphan, Obstacle: obstacle, Problem: problem,
		}
	}
	left := object("left", takeover.ObstacleLeft, "the cluster leaves the fleet")
	kept := object("kept", takeover.ObstacleAdopted, "it was there before the placement")
	var diags diag.Diagnostics
	Consequences(&diags, "member member-1", []engine.Consequence{{Placement: "app", Preview: &engine.Preview{Clusters: []engine.ClusterPreview{
		{Name: "member-1", Objects: []engine.ObjectPreview{left, kept}},
	}}}}, true)
	if len(diags) != 1 || diags.HasError() || diags[0].Summary() != "The hub acts on member member-1 immediately: 1 object left on the cluster" ||
		!strings.Contains(diags[0].Detail(), "Placement \"app\":\n  left on the cluster: ConfigMap app/left on member-1: the cluster leaves the fleet") ||
		strings.Contains(diags[0].Detail(), "kept") {
		t.Errorf("%v", diags)
	}
}

// TestManyConsequences checks that a warning about many placements has one line for each of them, those with deletions first, and counts those without space.
func TestManyConsequences(t *testing.T) {
	t.Parallel()
	var found []engine.Consequence
	for i := range 60 {
		var objects []engine.ObjectPreview
		for _, name := range []string{"a", "b"} {
			objects = append(objects, engine.ObjectPreview{
				Identifier: manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "app", Name: name}, Action: takeover.ActionOrphan, Obstacle: takeover.ObstacleLeft,
			})
		}
		if i == 40 {
			objects[1].Action = takeover.ActionPrune
		}
		found = append(found, engine.Consequence{
			Placement: fmt.Sprintf("app-%02d", i), Preview: &engine.Preview{Clusters: []engine.ClusterPreview{{Name: "member-1", Objects: objects}}},
		})
	}
	var diags diag.Diagnostics
	Consequences(&diags, "member member-1", found, true)
	if diags.HasError() {
		t.Error("a checked plan is an error")
	}
	_, list, _ := strings.Cut(diags[0].Detail(), "\n\n")
	lines := strings.Split(list, "\n")
	if len(lines) > plain.MaxLines || lines[0] != `Placement "app-40": DELETED: ConfigMap app/b on member-1, and 1 more object` ||
		lines[1] != `Placement "app-00": left on the cluster: ConfigMap app/a on member-1, and 1 more object` || lines[len(lines)-1] != "  ... and 12 more placements" {
		t.Errorf("%d lines:\n%s", len(lines), list)
	}
}
