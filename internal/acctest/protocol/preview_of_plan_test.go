package protocol

import (
	"strings"
	"testing"
)

// TestPreviewOfPlan checks that a data source with only a name returns what the resource's plan shows: objects from manifests_wo, deletions and a replacement.
func TestPreviewOfPlan(t *testing.T) {
	t.Parallel()
	provider := configured(t, "")
	const previewed = "data.fleet_placement_preview.p"
	configuration := func(clusters, written string) string {
		return provider + `
resource "fleet_crp" "p" {
  name         = "previewed-plan"
  policy       = { placement_type = "PickFixed", cluster_names = [` + clusters + `] }
  manifests    = { "all.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: previewed-plan, namespace: default}}" }
  manifests_wo = { "secret.yaml" = "{apiVersion: v1, kind: Secret, metadata: {name: previewed-plan, namespace: default}, stringData: {a: ` + written + `}}" }
}
data "fleet_placement_preview" "p" {
  name = fleet_crp.p.name
}
`
	}
	w := New()
	shows := func(got Result, replaces bool, counts map[string]float64, texts ...string) {
		t.Helper()
		value := done(t, got).Changes[previewed].After
		for action, want := range counts {
			if n := Lookup(value, "counts", action); n != want {
				t.Errorf("%s: got %v, want %v", action, n, want)
			}
		}
		report, _ := Lookup(value, "report").(string)
		for _, text := range texts {
			if !strings.Contains(report, text) {
				t.Errorf("missing %q in:\n%s", text, report)
			}
		}
		if strings.Contains(report, "planted") || Lookup(value, "replaces") != replaces {
			t.Errorf("replaces: %v, report:\n%s", Lookup(value, "replaces"), report)
		}
	}
	shows(w.Plan(t.Context(), configuration(onTwo, "planted-one")), false, map[string]float64{"create": 4, "from_manifests_wo": 0}, "4 to create")
	done(t, w.Apply(t.Context(), configuration(onTwo, "planted-one")))
	shows(w.Plan(t.Context(), configuration(onTwo, "planted-one")), false, map[string]float64{"none": 4, "update": 0, "prune": 0}, "no object to write")
	shows(w.Plan(t.Context(), configuration(`"member-1"`, "planted-two")), false, map[string]float64{"update": 1, "prune": 2}, "1 to update, 2 to delete",
		"| `Secret default/previewed-plan` | `member-2` | **deleted** |")
	w.Taint("fleet_crp.p")
	shows(w.Plan(t.Context(), configuration(onTwo, "planted-one")), true, map[string]float64{"create": 4, "prune": 4}, "will be REPLACED", "the resource is tainted")
	done(t, w.Apply(t.Context(), provider))
}

// TestPreviewOfOtherArguments checks that a plan warns if the data source has other arguments than the resource, in either order.
func TestPreviewOfOtherArguments(t *testing.T) {
	t.Parallel()
	provider := configured(t, "")
	const (
		manifests = "  manifests = { o = \"{apiVersion: v1, kind: ConfigMap, metadata: {name: previewed-other, namespace: default}}\" }\n"
		one       = "  name = \"previewed-other\"\n  policy = { placement_type = \"PickFixed\", cluster_names = [\"member-1\"] }\n" + manifests
		all       = "  name = \"previewed-other\"\n" + manifests
		warning   = `Placement "previewed-other": the data source does not show the plan`
	)
	data := func(arguments string) string { return "data \"fleet_placement_preview\" \"p\" {\n" + arguments + "}\n" }
	resource := func(arguments string) string { return "resource \"fleet_crp\" \"p\" {\n" + arguments + "}\n" }
	for _, blocks := range []string{data(all) + resource(one), resource(one) + data(all)} {
		if got := done(t, New().Plan(t.Context(), provider+blocks)).String(); !strings.Contains(got, warning) || !strings.Contains(got, "different values for policy.") {
			t.Errorf("no warning for:\n%s\ngot:\n%s", blocks, got)
		}
	}
	for _, blocks := range []string{data(one) + resource(one), resource(one) + data(one)} {
		if got := done(t, New().Plan(t.Context(), provider+blocks)).String(); strings.Contains(got, warning) {
			t.Errorf("unexpected warning for:\n%s\n%s", blocks, got)
		}
	}
}

// TestRenderedOverride checks that a data source returns the manifests for each picked cluster, with the changes of an override in the same run and with masked
// Secrets.
func TestRenderedOverride(t *testing.T) {
	t.Parallel()
	got := done(t, New().Plan(t.Context(), configured(t, `
resource "fleet_resource_override" "o" {
  name               = "rendered-override"
  namespace          = "default"
  resource_selectors = [
    { group = "", version = "v1", kind = "ConfigMap", name = "rendered-override" },
    { group = "", version = "v1", kind = "Secret", name = "rendered-override" },
  ]
  policy = { override_rules = [{
    cluster_selector     = { cluster_selector_terms = [{ label_selector = {} }] }
    json_patch_overrides = [{ op = "add", path = "/metadata/labels", value = jsonencode({ cluster = "$${MEMBER-CLUSTER-NAME}" }) }]
  }] }
}
resource "fleet_crp" "p" {
  name       = "rendered-override"
  policy     = { placement_type = "PickFixed", cluster_names = ["member-1", "member-2"] }
  depends_on = [fleet_resource_override.o]
  manifests  = {
    a = "{apiVersion: v1, kind: ConfigMap, metadata: {name: rendered-override, namespace: default}, data: {color: red}}"
    b = "{apiVersion: v1, kind: Secret, metadata: {name: rendered-override, namespace: default}, data: {color: cGxhbnRlZA==}}"
  }
}
data "fleet_placement_preview" "p" {
  name             = fleet_crp.p.name
  render_manifests = true
}
`)))
	value := got.Changes["data.fleet_placement_preview.p"].After
	for cluster, want := range map[string]string{"member-1": "\n    cluster: member-1\n", "member-2": "\n    cluster: member-2\n"} {
		if text, _ := Lookup(value, "rendered_manifests", cluster, "ConfigMap default/rendered-override").(string); !strings.Contains(text, want) {
			t.Errorf("%s: missing %q in:\n%s", cluster, want, text)
		}
		text, _ := Lookup(value, "rendered_manifests", cluster, "Secret default/rendered-override").(string)
		if !strings.Contains(text, "color: (sensitive value 1)") || strings.Contains(text, "cGxhbnRlZA==") {
			t.Errorf("%s:\n%s", cluster, text)
		}
	}
	if text := Lookup(value, "rendered_manifests", "member-3"); text != nil {
		t.Errorf("manifests of member-3, which is not picked: %v", text)
	}
}
