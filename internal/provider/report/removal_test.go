package report

import (
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestRemoval compares the warnings about removals: deletions are first, and every cluster with objects is named.
func TestRemoval(t *testing.T) {
	held := does(takeover.ActionOrphan, namespace)[0]
	held.Obstacle, held.Problem = takeover.ObstacleContents, "its deletion would also delete Deployment web/old"
	cluster := func(name string, objects ...engine.ObjectPreview) engine.ClusterPreview {
		return engine.ClusterPreview{Name: name, CheckMethod: engine.CheckDryRun, Objects: objects}
	}
	gone := cluster("member-5")
	gone.Err, gone.CheckMethod = errors.New("Cluster \"member-5\" cannot be reached: connection refused"), engine.CheckOffline
	for name, preview := range map[string]*engine.Preview{
		"removal": of(
			cluster("member-1", does(takeover.ActionPrune, namespace, deployment, service)...),
			cluster("member-2", does(takeover.ActionPrune, namespace, deployment, service)...),
			cluster("member-3", append(does(takeover.ActionPrune, service), append(does(takeover.ActionOrphan, deployment), held)...)...),
			cluster("member-4"), gone,
		),
		"removal-hands-over":  of(cluster("member-1", append(handed("web", "", deployment, service), does(takeover.ActionPrune, namespace)...)...)),
		"removal-unreachable": of(gone), "removal-unrecorded": of(unrecorded(), cluster("member-2", does(takeover.ActionPrune, service)...)),
	} {
		t.Run(name, func(t *testing.T) {
			var diags diag.Diagnostics
			Removal(&diags, preview, Plan{})
			if len(diags) != 1 {
				t.Fatalf("%d diagnostics", len(diags))
			}
			golden(t, name, diags[0].Severity().String()+": "+diags[0].Summary()+"\n\n"+diags[0].Detail()+"\n")
		})
	}
}

// TestReplacement compares the warnings about replacements with golden files. A warning first says whether objects are deleted, and then describes the removal.
func TestReplacement(t *testing.T) {
	cluster := func(name string, deleted, kept []engine.ObjectPreview) engine.ClusterPreview {
		return engine.ClusterPreview{Name: name, CheckMethod: engine.CheckDryRun, Objects: append(deleted, kept...)}
	}
	for name, preview := range map[string]*engine.Preview{
		"replacement": of(
			cluster("member-1", does(takeover.ActionPrune, namespace, deployment, service), nil),
			cluster("member-2", does(takeover.ActionPrune, service), does(takeover.ActionOrphan, deployment)),
		),
		"replacement-kept": of(cluster("member-1", nil, does(takeover.ActionOrphan, namespace, deployment))),
	} {
		t.Run(name, func(t *testing.T) {
			var diags diag.Diagnostics
			Replacement(&diags, preview, Plan{}, "renamed", Renamed)
			if len(diags) != 1 {
				t.Fatalf("%d diagnostics", len(diags))
			}
			golden(t, name, diags[0].Severity().String()+": "+diags[0].Summary()+"\n\n"+diags[0].Detail()+"\n")
		})
	}
}

// TestRemovalOfNothing checks that the removal of a placement without objects adds no warning.
func TestRemovalOfNothing(t *testing.T) {
	var diags diag.Diagnostics
	Removal(&diags, of(engine.ClusterPreview{Name: "member-1"}), Plan{})
	if len(diags) != 0 {
		t.Error(diags)
	}
}
