package report

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// A deletion that depends on another placement is shown by the plans of both.
func TestOccupied(t *testing.T) {
	occupied := does(takeover.ActionDefer, namespace)[0]
	occupied.Obstacle, occupied.Problem = takeover.ObstacleOccupied, `it contains objects of the placement "guest"`
	occupied.Contents = &engine.Contents{Open: []string{"guest"}}
	cluster := func(name string, objects ...engine.ObjectPreview) engine.ClusterPreview {
		return engine.ClusterPreview{Name: name, CheckMethod: engine.CheckDryRun, Objects: objects}
	}
	freed := func(cluster string) engine.Occupied {
		return engine.Occupied{Identifier: occupied.Identifier, Cluster: cluster, Placement: "host", Open: []string{"guest"}}
	}
	for name, c := range map[string]struct {
		preview *engine.Preview
		freed   []engine.Occupied
	}{
		"removal-occupied": {preview: of(cluster("member-1", append(does(takeover.ActionPrune, service), occupied)...), cluster("member-2", occupied))},
		"removal-frees": {
			preview: of(cluster("member-1", does(takeover.ActionPrune, deployment)...)), freed: []engine.Occupied{freed("member-1"), freed("member-2")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var diags diag.Diagnostics
			Removal(&diags, c.preview, Plan{Freed: c.freed})
			if len(diags) != 1 {
				t.Fatalf("%d diagnostics", len(diags))
			}
			golden(t, name, diags[0].Severity().String()+": "+diags[0].Summary()+"\n\n"+diags[0].Detail()+"\n")
		})
	}
}
