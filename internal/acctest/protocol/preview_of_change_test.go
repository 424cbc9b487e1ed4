package protocol

import (
	"strings"
	"testing"
)

// The preview of a change shows the same deletions as the plan of the change. The data source has no manifests_wo: the report names the objects from there, and
// does not show them as deleted while the placement keeps them.
func TestPreviewOfChange(t *testing.T) {
	t.Parallel()
	provider := configured(t, "")
	const placement, previewed = "fleet_crp.p", "data.fleet_placement_preview.p"
	const writeOnly = `
  manifests_wo = { "secret.yaml" = "{apiVersion: v1, kind: Secret, metadata: {name: previewed-change, namespace: default}, stringData: {a: planted}}" }`
	arguments := func(policy string) string {
		return `
  name      = "previewed-change"
  policy    = { ` + policy + ` }
  manifests = { "all.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: previewed-change, namespace: default}}" }`
	}
	configuration := func(policy string) string {
		return provider + "data \"fleet_placement_preview\" \"p\" {" + arguments(policy) + "\n}\nresource \"fleet_crp\" \"p\" {" + arguments(policy) + writeOnly + "\n}\n"
	}
	const all, one = `placement_type = "PickAll"`, `placement_type = "PickFixed", cluster_names = ["member-1"]`
	w := New()
	done(t, w.Apply(t.Context(), configuration(all)))

	got := w.Plan(t.Context(), configuration(all))
	changes(t, got, placement, NoOp)
	value := got.Changes[previewed].After
	for at, want := range map[string]any{"prune": 0.0, "none": 3.0, "from_manifests_wo": 3.0} {
		if n := Lookup(value, "counts", at); n != want {
			t.Errorf("%s: got %v, want %v", at, n, want)
		}
	}
	if replaces := Lookup(value, "replaces"); replaces != false {
		t.Errorf("replaces: %v", replaces)
	}
	if text := Lookup(value, "report").(string); !strings.Contains(text, "no object to write") || !strings.Contains(text, "manifests_wo: Secret default/previewed-change.") ||
		strings.Contains(text, "deleted") || strings.Contains(text, "planted") {
		t.Errorf("report:\n%s", text)
	}

	got = w.Plan(t.Context(), configuration(one))
	changes(t, got, placement, Update)
	value = got.Changes[previewed].After
	if replaces, deleted, created := Lookup(value, "replaces"), Lookup(value, "counts", "prune"), Lookup(value, "counts", "create"); replaces != false || deleted != 4.0 || created != 0.0 {
		t.Errorf("replaces: %v, with %v to delete and %v to create", replaces, deleted, created)
	}
	if text := Lookup(value, "report").(string); !strings.Contains(text, "4 to delete") {
		t.Errorf("report:\n%s", text)
	}
	if !strings.Contains(got.String(), "4 to delete") {
		t.Errorf("the plan differs from the preview:\n%s", got)
	}
	done(t, w.Apply(t.Context(), provider))
}
