package protocol

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// checkOutput checks that a run has succeeded and printed text that matches.
func checkOutput(t *testing.T, got Result, patterns ...string) {
	t.Helper()
	done(t, got)
	for _, pattern := range patterns {
		if !regexp.MustCompile(pattern).MatchString(got.String()) {
			t.Errorf("nothing matches %s:\n%s", pattern, got)
		}
	}
}

const plantedPlacement = `
resource "fleet_crp" "p" {
  name      = "%[1]s"
  manifests = { "all.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: %[1]s, namespace: default}, data: {color: %[2]s}}" }
  policy    = { placement_type = "PickFixed", cluster_names = ["member-1", "member-2"] }
}
`

// keyOf returns the key in the private state of a resource, in base64.
func keyOf(t *testing.T, w *Workspace, address string) string {
	t.Helper()
	var private map[string][]byte
	if err := json.Unmarshal(w.state[address].private, &private); err != nil {
		t.Fatal(err)
	}
	return strings.Trim(string(private["key"]), `"`)
}

// The plan shows an edited record but does not use it, and the apply signs the record again. The key in a state remains the same, and no output contains it. An
// imported state has no key until its first apply creates one.
func TestPlantedRecord(t *testing.T) {
	t.Parallel()
	const address, name = "fleet_crp.p", "planted-record"
	of := func(color string) string { return withoutHub(t) + fmt.Sprintf(plantedPlacement, name, color) }
	w := New()
	var outputs []Result
	run := func(got Result) Result {
		outputs = append(outputs, got)
		return got
	}
	changes(t, run(w.Apply(t.Context(), of("red"))), address, Create)
	key := keyOf(t, w, address)
	if len(key) != 44 { // 32 bytes in base64
		t.Fatalf("the key has %d characters", len(key))
	}
	patches(t, "fleet-system", "placement-"+name, "member-1", `{"data":{"spec.json":"{\"strategy\":{\"deleteStrategy\":{\"contents\":\"Delete\"}}}"}}`)()
	planned := run(w.Plan(t.Context(), of("red")))
	checkOutput(t, planned, "RECORD DOES NOT VERIFY on member-1", "ConfigMap fleet-system/placement-"+name)
	if strategy := Lookup(changes(t, planned, address, Update).Before, "strategy"); strategy != nil {
		t.Errorf("strategy in the state: %v", strategy)
	}
	changes(t, run(w.Apply(t.Context(), of("red"))), address, Update)
	changes(t, run(w.Plan(t.Context(), of("red"))), address, NoOp)

	imported := New()
	checkOutput(t, run(imported.Import(t.Context(), of("red"), address, name)), "Trusted without verification: the records on member-1 and member-2")
	if got := keyOf(t, imported, address); got != "null" {
		t.Errorf("key of an import: %q", got)
	}
	changes(t, run(imported.Plan(t.Context(), of("red"))), address, NoOp)
	checkOutput(t, run(imported.Plan(t.Context(), of("blue"))), "Trusted without verification: the records on member-1 and member-2", "This apply signs them")
	changes(t, run(imported.Apply(t.Context(), of("blue"))), address, Update)
	changes(t, run(imported.Plan(t.Context(), of("blue"))), address, NoOp)
	if signed := keyOf(t, imported, address); signed == key || len(signed) != 44 {
		t.Errorf("key after the import: %q", signed)
	}
	patches(t, "fleet-system", "placement-"+name, "member-2", `{"data":{"objects.json":"[]"}}`)()
	checkOutput(t, run(imported.Plan(t.Context(), of("blue"))), "RECORD DOES NOT VERIFY on member-2")
	if got := keyOf(t, w, address); got != key {
		t.Error("the key has changed")
	}
	for _, got := range outputs {
		text := got.String()
		for _, change := range got.Changes {
			for _, value := range []cty.Value{change.Before, change.After} {
				if value != cty.NilVal {
					text += value.GoString()
				}
			}
		}
		if strings.Contains(text, key) || strings.Contains(text, keyOf(t, imported, address)) {
			t.Errorf("found a key in:\n%s", text)
		}
	}
	checkOutput(t, run(imported.Apply(t.Context(), withoutHub(t))), "some objects or records remain on clusters")
	deletes(t, "default", name, "member-1", "member-2")()
}

// A plan names an override that no resource manages. It does not name the override of the resource that is planned before the placement.
func TestPlantedOverride(t *testing.T) {
	t.Parallel()
	const address, name = "fleet_crp.p", "planted-override"
	configuration := withoutHub(t) + `
resource "fleet_resource_override" "ours" {
  name               = "ours"
  namespace          = "default"
  resource_selectors = [{ group = "", version = "v1", kind = "ConfigMap", name = "planted-override" }]
  placement          = { name = "planted-override" }
  policy = { override_rules = [{
    cluster_selector     = { cluster_selector_terms = [{ label_selector = {} }] }
    json_patch_overrides = [{ op = "add", path = "/data/ours", value = jsonencode("x") }]
  }] }
}
` + strings.Replace(fmt.Sprintf(plantedPlacement, name, "red"), "\n}\n", "\n  depends_on = [fleet_resource_override.ours]\n}\n", 1)
	w := New()
	changes(t, w.Apply(t.Context(), configuration), address, Create)
	changes(t, w.Plan(t.Context(), configuration), address, NoOp)
	override := map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{
			"namespace": "fleet-system", "name": "resource-override-default.evil-" + name, "labels": map[string]any{"fleet.terraform.io/record": "override"},
		},
		"data": map[string]any{"override.json": `{"namespace":"default","name":"evil-planted-override","resourceOverride":{"placement":{"name":"planted-override"},
			"resourceSelectors":[{"group":"","version":"v1","kind":"ConfigMap","name":"planted-override"}],"policy":{"overrideRules":[{
			"clusterSelector":{"clusterSelectorTerms":[{"labelSelector":{}}]},"jsonPatchOverrides":[{"op":"replace","path":"/data/color","value":"evil"}]}]}}}`},
	}
	text, err := json.Marshal(override)
	if err != nil {
		t.Fatal(err)
	}
	fleet.Put(t, "member-1", string(text))
	planned := w.Plan(t.Context(), configuration)
	checkOutput(t, planned, "The ResourceOverride default/evil-planted-override changes objects on member-1, and no resource that this placement depends on manages it",
		"check the ConfigMap fleet-system/resource-override-default.evil-planted-override there")
	if strings.Contains(planned.String(), "default/ours") {
		t.Errorf("the plan names a managed override:\n%s", planned)
	}
	deletes(t, "fleet-system", "resource-override-default.evil-"+name, "member-1")()
	changes(t, w.Plan(t.Context(), configuration), address, NoOp)
	done(t, w.Apply(t.Context(), withoutHub(t)))
}
