package placementpreview

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// existingEngine is an engine with an existing placement.
type existingEngine struct {
	fakeEngine
	removal *engine.Preview
	removed engine.Placement
}

func (f *existingEngine) PreviewDelete(_ context.Context, p engine.Placement, _ engine.DeleteOptions) (*engine.Preview, error) {
	f.removed = p
	return f.removal, nil
}

func newObjects(action takeover.Action, names ...string) []engine.ObjectPreview {
	var out []engine.ObjectPreview
	for _, name := range names {
		id := manifest.Identifier{Version: "v1", Kind: "Secret", Namespace: "web", Name: name}
		out = append(out, engine.ObjectPreview{Identifier: id, Action: action, Exists: true, Owned: true})
	}
	return out
}

// TestReplacement checks that a placement of another type replaces the recorded one, as in a plan: the objects on all clusters are deleted first.
func TestReplacement(t *testing.T) {
	fleet := &existingEngine{
		fakeEngine: fakeEngine{
			recorded: &engine.Recorded{ID: "id", Complete: true, Spec: placement.Spec{Policy: &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"member-1"}}}},
			preview: &engine.Preview{Placement: "web", Fulfilled: true, Clusters: []engine.ClusterPreview{
				{Name: "member-1", Picked: true, CheckMethod: engine.CheckDryRun, Objects: newObjects(takeover.ActionCreate, "a")},
			}},
		},
		removal: &engine.Preview{Placement: "web", Clusters: []engine.ClusterPreview{
			{Name: "member-1", CheckMethod: engine.CheckDryRun, Objects: newObjects(takeover.ActionPrune, "a")},
			{Name: "member-2", CheckMethod: engine.CheckDryRun, Objects: newObjects(takeover.ActionPrune, "a", "b")},
		}},
	}
	out, diags := read(t, &session.Session{Engine: fleet, Preview: session.PreviewAuto}, newConfig(t, nil))
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	if fleet.removed.ID != "id" || fleet.removed.Spec.Policy.PlacementType != placement.PickFixed || fleet.removed.Prior == nil {
		t.Errorf("the removal of %+v is previewed", fleet.removed)
	}
	if fleet.options.Replaces == nil || fleet.options.Create || fleet.input.Prior != nil {
		t.Errorf("the creation of %+v is previewed with %+v", fleet.input, fleet.options)
	}
	if !out.Replaces.ValueBool() {
		t.Error("the replacement is not reported")
	}
	contains(t, out.Counts.String(), `"create":1`, `"prune":3`)
	contains(t, out.Clusters.String(), `"member-2"`, `"action":"prune"`)
	contains(t, out.Report.ValueString(), "### Placement `web` (1 cluster) will be REPLACED: 1 to create, 3 to delete", "> **REPLACED**: the `placement_type` changes",
		"Objects that are removed first", "| `Secret web/b` | `member-2` | **deleted** |")
	if want := engine.Expect(fleet.preview).String(); out.Digest.ValueString() != want {
		t.Errorf("the digest is %s, want that of the creation: %s", out.Digest.ValueString(), want)
	}
}

// TestIncompleteRecord checks that a record that cannot be read completely does not cause a replacement.
func TestIncompleteRecord(t *testing.T) {
	fleet := &existingEngine{fakeEngine: fakeEngine{
		recorded: &engine.Recorded{Spec: placement.Spec{StatusReportingScope: "NamespaceAccessible"}}, preview: newPreview(),
	}}
	at := path.Root("policy").AtName("placement_type")
	out, diags := read(t, &session.Session{Engine: fleet, Preview: session.PreviewAuto}, newConfig(t, map[string]path.Path{"PickFixed": at}))
	if len(diags) > 0 || out.Replaces.ValueBool() || fleet.input.Prior == nil {
		t.Errorf("%v, %+v", diags, out)
	}
}

// TestImmutableChange checks that the preview rejects the changes that a plan rejects.
func TestImmutableChange(t *testing.T) {
	policy := &placement.Policy{
		PlacementType: placement.PickAll, Tolerations: []placement.Toleration{{Key: "a", Operator: placement.TolerationExists}},
	}
	fleet := &existingEngine{fakeEngine: fakeEngine{preview: newPreview(), recorded: &engine.Recorded{Complete: true, Spec: placement.Spec{Policy: policy}}}}
	_, diags := read(t, &session.Session{Engine: fleet, Preview: session.PreviewAuto}, newConfig(t, nil))
	if diags.ErrorsCount() != 1 || !strings.Contains(diags[0].Summary(), "Immutable argument") {
		t.Errorf("%v", diags)
	}
}

// TestWriteOnlyManifests checks that objects from manifests_wo count as not checked on picked clusters, because the data source does not have their manifests.
// On the other clusters, the report shows that they are deleted.
func TestWriteOnlyManifests(t *testing.T) {
	const secret = "{apiVersion: v1, kind: Secret, metadata: {name: %, namespace: web}, stringData: {password: planted}}"
	named := func(name string) string { return strings.Replace(secret, "%", name, 1) }
	fleet := &existingEngine{fakeEngine: fakeEngine{
		recorded: &engine.Recorded{Complete: true, WriteOnly: map[string]string{
			"a.yaml": named("a"), "b.yaml": named("b") + "\n---\n{apiVersion: v1, kind: Namespace, metadata: {name: web}}", "c.yaml": "[",
		}},
		preview: &engine.Preview{Placement: "web", Fulfilled: true, Clusters: []engine.ClusterPreview{
			{Name: "member-1", Picked: true, CheckMethod: engine.CheckDryRun, Objects: append(newObjects(takeover.ActionNone, "a", "b"), newObjects(takeover.ActionPrune, "other")...)},
			{Name: "member-2", CheckMethod: engine.CheckDryRun, Objects: newObjects(takeover.ActionPrune, "a")},
		}},
	}}
	out, diags := read(t, &session.Session{Engine: fleet, Preview: session.PreviewAuto}, newConfig(t, nil))
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	// The configuration has the Namespace in manifests, so it is omitted from the recorded write-only manifests.
	if input := fleet.input.WriteOnly; len(input) != 2 || input["a.yaml"] != named("a") || strings.Contains(input["b.yaml/secret.web.b.yaml"], "Namespace") {
		t.Errorf("the engine received %q", input)
	}
	contains(t, out.Counts.String(), `"from_manifests_wo":2`, `"prune":2`, `"none":0`)
	contains(t, out.Clusters.String(), `"action":"not_checked"`, `"message":"from manifests_wo"`)
	contains(t, out.Report.ValueString(), "Not checked, because this report does not have manifests_wo: Secret web/a and Secret web/b.",
		"| `Secret web/other` | `member-1` | **deleted** |", "| `Secret web/a` | `member-2` | **deleted** |")
	if strings.Contains(out.Clusters.String()+out.Report.ValueString(), "planted") {
		t.Error("a secret value is shown")
	}
}

// TestWriteOnlyObjects checks that, on picked clusters, objects whose write-only manifests are not recorded are reported as not checked and not as deleted. The
// digest does not allow their deletion there.
func TestWriteOnlyObjects(t *testing.T) {
	id := func(name string) manifest.Identifier { return newObjects(takeover.ActionPrune, name)[0].Identifier }
	fleet := &existingEngine{fakeEngine: fakeEngine{
		recorded: &engine.Recorded{Complete: true, WriteOnlyObjects: []manifest.Identifier{id("a")}},
		preview: &engine.Preview{Placement: "web", Fulfilled: true, Clusters: []engine.ClusterPreview{
			{Name: "member-1", Picked: true, CheckMethod: engine.CheckDryRun, Objects: newObjects(takeover.ActionPrune, "a", "other")},
			{Name: "member-2", CheckMethod: engine.CheckDryRun, Objects: newObjects(takeover.ActionPrune, "a")},
		}},
	}}
	out, diags := read(t, &session.Session{Engine: fleet, Preview: session.PreviewAuto}, newConfig(t, nil))
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	contains(t, out.Counts.String(), `"from_manifests_wo":1`, `"prune":2`)
	contains(t, out.Report.ValueString(), "Not checked, because this report does not have manifests_wo: Secret web/a.")
	expected, err := engine.ParseExpectation(out.Digest.ValueString())
	if err != nil {
		t.Fatal(err)
	}
	for name, agreed := range map[string]bool{"a": false, "other": true} {
		if problem := expected.ContradictsDeletion("member-1", id(name).Key(), nil); (problem == "") != agreed {
			t.Errorf("the deletion of %s: %q", name, problem)
		}
	}
}

// TestWriteOnlyEnvelope checks that the objects in an envelope from manifests_wo count as objects from manifests_wo.
func TestWriteOnlyEnvelope(t *testing.T) {
	fleet := &existingEngine{fakeEngine: fakeEngine{
		recorded: &engine.Recorded{Complete: true, WriteOnly: map[string]string{
			"e.yaml": "{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ResourceEnvelope, metadata: {name: e, namespace: web}, data: {}}",
		}},
		preview: &engine.Preview{Placement: "web", Clusters: []engine.ClusterPreview{{Name: "member-1", Picked: true, Objects: newObjects(takeover.ActionNone, "a", "b")}}},
	}}
	fleet.preview.Clusters[0].Objects[0].Envelope = &manifest.Envelope{Name: "e", Namespace: "web", Type: "ResourceEnvelope"}
	out, diags := read(t, &session.Session{Engine: fleet, Preview: session.PreviewAuto}, newConfig(t, nil))
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	contains(t, out.Counts.String(), `"from_manifests_wo":1`, `"none":1`)
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in:\n%s", part, text)
		}
	}
}
