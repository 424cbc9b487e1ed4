package placementpreview

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/ignore"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// nameOnlyConfig returns a configuration that only names the placement.
func nameOnlyConfig(t *testing.T) tfsdk.Config {
	t.Helper()
	state := tfsdk.State(newConfig(t, nil))
	if diags := state.SetAttribute(t.Context(), path.Root("manifests"), types.MapNull(types.StringType)); diags.HasError() {
		t.Fatal(diags)
	}
	return tfsdk.Config(state)
}

// webPlacement returns the placement of the configured data source, as a resource plans it.
func webPlacement() engine.Placement {
	return engine.Placement{
		Reference: engine.Reference{Name: "web"}, Manifests: map[string]string{"a.yaml": "{apiVersion: v1, kind: Namespace, metadata: {name: web}}"},
	}
}

// TestPlanOfResource checks that a data source with only a name shows the preview in the plan of the resource, and does not check the clusters again.
func TestPlanOfResource(t *testing.T) {
	fleet := &existingEngine{fakeEngine: fakeEngine{preview: newPreview()}}
	shared := &session.Session{Engine: fleet, Preview: session.PreviewAuto}
	planned := &engine.Preview{Placement: "web", Fulfilled: true, Clusters: []engine.ClusterPreview{
		{Name: "member-1", Picked: true, CheckMethod: engine.CheckDryRun, Objects: newObjects(takeover.ActionCreate, "a")},
	}}
	removal := &engine.Preview{Placement: "shop", Clusters: []engine.ClusterPreview{
		{Name: "member-2", CheckMethod: engine.CheckDryRun, Objects: newObjects(takeover.ActionPrune, "a", "b")},
	}}
	shared.PlanReplacement("web", session.PlannedRemoval{Preview: removal, Why: report.Renamed})
	shared.PlanPlacement(session.PlannedPlacement{Placement: webPlacement(), Preview: planned})
	out, diags := read(t, shared, nameOnlyConfig(t))
	if len(diags) > 0 || fleet.input.Name != "" || !out.Replaces.ValueBool() {
		t.Fatalf("%v; the engine received %+v; replaces is %v", diags, fleet.input, out.Replaces)
	}
	contains(t, out.Counts.String(), `"create":1`, `"prune":2`)
	contains(t, out.Report.ValueString(), "will be REPLACED: 1 to create, 2 to delete", "> **REPLACED**: the name changes", "| `Secret web/b` | `member-2` | **deleted** |")
	if want := engine.Expect(planned).String(); out.Digest.ValueString() != want {
		t.Errorf("the digest is %s, want that of the creation: %s", out.Digest.ValueString(), want)
	}
}

// TestPlanWithoutPreview checks that a data source with only a name previews the planned placement if the preview is off, and reports the reason if a
// preview is impossible.
func TestPlanWithoutPreview(t *testing.T) {
	fleet := &existingEngine{fakeEngine: fakeEngine{preview: newPreview(), recorded: &engine.Recorded{}}}
	shared := &session.Session{Engine: fleet, Preview: session.PreviewOff}
	out, diags := read(t, shared, nameOnlyConfig(t))
	if len(diags) != 1 || !out.Digest.IsNull() {
		t.Fatalf("no resource is planned: %v", diags)
	}
	contains(t, diags[0].Detail(), "through a local value")
	contains(t, out.Report.ValueString(), "### Placement `web`: no preview", "through a local value")

	shared.PlanPlacement(session.PlannedPlacement{Placement: engine.Placement{Reference: webPlacement().Reference}, Missing: "| not | known"})
	out, diags = read(t, shared, nameOnlyConfig(t))
	if len(diags) > 0 || strings.Contains(out.Report.ValueString(), "| not") {
		t.Errorf("%v:\n%s", diags, out.Report.ValueString())
	}
	contains(t, out.Report.ValueString(), "### Placement `web`: no preview")

	shared.PlanPlacement(session.PlannedPlacement{Placement: webPlacement(), Options: engine.PreviewOptions{Create: true}})
	out, diags = read(t, shared, nameOnlyConfig(t))
	if len(diags) > 0 || !fleet.options.Create || len(fleet.input.Manifests) != 1 {
		t.Errorf("%v: the engine received %+v with %+v", diags, fleet.input, fleet.options)
	}
	contains(t, out.Counts.String(), `"create":1`)
}

// TestPlacementOfState checks a run that plans no resource: the data source previews the placement in the state.
func TestPlacementOfState(t *testing.T) {
	fleet := &existingEngine{fakeEngine: fakeEngine{preview: newPreview(), recorded: &engine.Recorded{Status: placement.Status{HubUID: "uid"}}}}
	shared := &session.Session{Engine: fleet, Preview: session.PreviewAuto}
	shared.Exists("web", webPlacement())
	out, diags := read(t, shared, nameOnlyConfig(t))
	if len(diags) > 0 || fleet.input.Prior == nil || len(fleet.input.Manifests) != 1 {
		t.Fatalf("%v: the engine received %+v", diags, fleet.input)
	}
	contains(t, out.Report.ValueString(), "### Placement `web`")
	if of, _, found := shared.PreviewOf("web"); !found || len(of.Manifests) != 1 {
		t.Error("a resource that is planned later cannot compare its plan")
	}
}

// TestDisagreement checks that a data source that is read after the plan of the resource warns if it has previewed something else.
func TestDisagreement(t *testing.T) {
	other := webPlacement()
	other.Manifests = map[string]string{"b.yaml": "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}"}
	other.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"member-1"}}
	other.TakesOverFrom = []engine.Giver{{Name: "bulk"}}
	other.IgnoreFields = ignore.Rules{{Kind: "Deployment", Fields: []string{"spec.replicas"}}}
	formatted := webPlacement()
	formatted.Manifests = map[string]string{"a.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n"}
	for name, c := range map[string]struct {
		planned engine.Placement
		removal *engine.Preview
		want    []string
	}{
		"equal":     {webPlacement(), nil, nil},
		"formatted": {formatted, nil, nil},
		"different": {other, nil, []string{"different values for manifests, ignore_fields, policy, takes_over_from or takes_over_from_removed."}},
		"replaced":  {webPlacement(), &engine.Preview{}, []string{"replaces a placement"}},
	} {
		t.Run(name, func(t *testing.T) {
			fleet := &existingEngine{fakeEngine: fakeEngine{preview: newPreview(), readErr: engine.ErrNotFound}}
			shared := &session.Session{Engine: fleet, Preview: session.PreviewAuto}
			if c.removal != nil {
				shared.PlanReplacement("web", session.PlannedRemoval{Preview: c.removal, Why: report.Requested})
			}
			shared.PlanPlacement(session.PlannedPlacement{Placement: c.planned, Preview: newPreview()})
			_, diags := read(t, shared, newConfig(t, nil))
			var warnings []diag.Diagnostic
			for _, d := range diags {
				if strings.Contains(d.Summary(), "does not show the plan") {
					warnings = append(warnings, d)
				}
			}
			if diags.HasError() || len(warnings) != len(c.want) {
				t.Fatalf("%v", diags)
			}
			for i, want := range c.want {
				contains(t, warnings[i].Detail(), want)
			}
		})
	}
}

// renderConfig returns a configuration with only a name that asks for the rendered manifests.
func renderConfig(t *testing.T) tfsdk.Config {
	t.Helper()
	state := tfsdk.State(nameOnlyConfig(t))
	if diags := state.SetAttribute(t.Context(), path.Root("render_manifests"), true); diags.HasError() {
		t.Fatal(diags)
	}
	return tfsdk.Config(state)
}

// TestRenderedManifests checks that the result has the objects on the picked clusters if the configuration asks for them. The state has no values of
// Secrets and of write-only manifests.
func TestRenderedManifests(t *testing.T) {
	object := func(kind, name string) engine.ObjectPreview {
		out := engine.ObjectPreview{Identifier: manifest.Identifier{Version: "v1", Kind: kind, Namespace: "web", Name: name}, Action: takeover.ActionUpdate, Exists: true}
		out.Rendered = &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": name, "namespace": "web"}, "data": map[string]any{"a": "cGxhbnRlZA=="},
		}}
		out.Differences = []diff.Difference{{Field: "data.a", Path: "/data/a", InHub: "planted-" + name, HasHub: true, InMember: "was-planted", HasMember: true}}
		out.ObservedDrifts = []placement.PatchDetail{{Path: "/data/a", ValueInHub: "drift-planted"}}
		return out
	}
	rejected := object("ConfigMap", "written")
	rejected.Action, rejected.Obstacle, rejected.Message, rejected.Problem = takeover.ActionReject, takeover.ObstacleAdmission, "planted", "planted"
	gone := object("ConfigMap", "gone")
	gone.Rendered = nil
	planned := webPlacement()
	planned.WriteOnly = map[string]string{"w.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: written, namespace: web}}"}
	shared := &session.Session{Engine: &existingEngine{fakeEngine: fakeEngine{preview: newPreview()}}, Preview: session.PreviewAuto}
	shared.PlanPlacement(session.PlannedPlacement{Placement: planned, Preview: &engine.Preview{Placement: "web", Clusters: []engine.ClusterPreview{
		{Name: "member-1", Picked: true, CheckMethod: engine.CheckDryRun, Objects: []engine.ObjectPreview{object("ConfigMap", "plain"), object("Secret", "password"), rejected, gone}},
		{Name: "member-2", CheckMethod: engine.CheckDryRun, Objects: []engine.ObjectPreview{object("ConfigMap", "plain")}},
	}}})
	out, diags := read(t, shared, renderConfig(t))
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	var rendered map[string]map[string]string
	if diags := out.RenderedManifests.ElementsAs(t.Context(), &rendered, false); diags.HasError() {
		t.Fatal(diags)
	}
	if len(rendered) != 1 || len(rendered["member-1"]) != 2 {
		t.Errorf("%v", rendered)
	}
	contains(t, rendered["member-1"]["ConfigMap web/plain"], "\n  a: cGxhbnRlZA==\n", "kind: ConfigMap")
	contains(t, rendered["member-1"]["Secret web/password"], "a: (sensitive value 1)\n", "kind: Secret")
	all := out.Clusters.String() + out.Conflicts.String() + out.Report.ValueString()
	contains(t, all, "planted-plain", "/data/a", diff.Redacted)
	for _, text := range []string{"planted-written", `"message":"planted"`} {
		if strings.Contains(all, text) {
			t.Errorf("%q is in:\n%s", text, all)
		}
	}
	if out, diags := read(t, shared, nameOnlyConfig(t)); len(diags) > 0 || !out.RenderedManifests.IsNull() {
		t.Errorf("rendered without render_manifests: %v, %v", out.RenderedManifests, diags)
	}
}
