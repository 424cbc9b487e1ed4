package report

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// kindCases are plans with objects of kinds that clusters do not serve.
func kindCases() map[string]testCase {
	widget := func(name string, action takeover.Action, by string) engine.ObjectPreview {
		out := engine.ObjectPreview{
			Identifier: manifest.Identifier{Group: "example.com", Version: "v1", Kind: "Widget", Namespace: "web", Name: name}, Action: action, Unserved: true, ProvidedBy: by,
		}
		if action == takeover.ActionReject {
			out.Obstacle, out.Reason, out.Problem = takeover.ObstacleNotServed, takeover.ReasonDecodingErred, "the cluster does not serve kind Widget of example.com/v1"
		} else {
			out.Untried = engine.UntriedKind
		}
		return out
	}
	supplies := of(on("member-1", does(takeover.ActionCreate, service)...))
	supplies.Supplies = []engine.Lack{{
		Placement: "widgets", Kind: schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}, Clusters: []string{"member-1", "member-2"},
	}}
	elsewhere := of(on("member-1", widget("one", takeover.ActionCreate, "crds")), on("member-2", widget("one", takeover.ActionReject, "")))
	elsewhere.Elsewhere = []engine.Lack{{Placement: "crds", Kind: widget("one", "", "").GroupVersionKind(), Clusters: []string{"member-2"}}}
	always := strategy(placement.TakeOverAlways)
	return map[string]testCase{
		"kind-lacks":     {preview: of(on("member-1", widget("one", takeover.ActionReject, ""))), strategy: always},
		"kind-elsewhere": {preview: elsewhere, strategy: always},
		"kind-brought": {preview: of(
			on("member-1", widget("one", takeover.ActionCreate, "crds"), widget("two", takeover.ActionCreate, "crds")),
			on("member-2", widget("one", takeover.ActionCreate, "crds"), widget("two", takeover.ActionCreate, "crds")),
		), strategy: always},
		"kind-supplies": {preview: supplies, strategy: always},
	}
}

// TestKindsOfTheirOwn checks that a plan does not name other placements because of kinds that the placement itself defines, or that a hub waits for.
func TestKindsOfTheirOwn(t *testing.T) {
	own := kindCases()["kind-brought"].preview
	for _, cluster := range own.Clusters {
		for i := range cluster.Objects {
			cluster.Objects[i].ProvidedBy = ""
		}
	}
	predicted := kindCases()["kind-lacks"].preview
	predicted.Hub = &engine.HubPreview{}
	for _, preview := range []*engine.Preview{own, predicted} {
		var diags diag.Diagnostics
		text := Preview(&diags, preview, Plan{Strategy: strategy(placement.TakeOverAlways), Shown: true})
		for _, d := range diags {
			text += d.Detail()
		}
		if strings.Contains(text, "brought") || strings.Contains(text, "another placement") {
			t.Errorf("the plan says:\n%s", text)
		}
	}
}
