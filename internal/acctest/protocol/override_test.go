package protocol

import (
	"strings"
	"testing"
)

// overridden places a ConfigMap on two members and overrides its value on member-1. patch is the value argument of the operation, empty for no override.
func overridden(patch string) string {
	const placement = `
resource "fleet_crp" "p" {
  name   = "overridden"
  policy = { placement_type = "PickFixed", cluster_names = ["member-1", "member-2"] }
  manifests = {
    namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: overridden}}"
    settings  = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: overridden}, data: {color: red}}"
  }
}
`
	if patch == "" {
		return placement
	}
	return `
resource "fleet_resource_override" "o" {
  name               = "o"
  namespace          = "overridden"
  resource_selectors = [{ group = "", version = "v1", kind = "ConfigMap", name = "settings" }]
  policy = { override_rules = [{
    cluster_selector     = { cluster_selector_terms = [{ label_selector = { match_labels = { "kubernetes-fleet.io/member-name" = "member-1" } } }] }
    json_patch_overrides = [{ op = "replace", path = "/data/color", ` + patch + ` }]
  }] }
}
` + placement
}

// TestOverrideIsShown checks that the plan of an override shows once which fields it changes on which clusters, and no sensitive value.
func TestOverrideIsShown(t *testing.T) { //nolint:paralleltest // the plan also checks placements that other tests change
	const address = "fleet_resource_override.o"
	provider := configured(t, "")
	fleet.Clear(t, "overridden")
	w := New()
	for _, step := range []struct {
		patch string
		want  any
	}{
		{`value = jsonencode("blue")`, nil}, // nothing is placed yet
		{`value = jsonencode("green")`, line(`data.color: "blue" -> "green"`)},
		{`value_sensitive = jsonencode("planted")`, line("data.color: another value (redacted for security reasons)")},
		{`value_sensitive = jsonencode("planted again")`, line("data.color: another value (redacted for security reasons)")},
	} {
		plan := w.Plan(t.Context(), provider+overridden(step.patch))
		if got := Lookup(plan.Changes[address].After, "planned_changes"); got != step.want || len(done(t, plan).Diagnostics) > 0 {
			t.Errorf("%s: planned %v\n%s", step.patch, got, plan)
		}
		applied := w.Apply(t.Context(), provider+overridden(step.patch))
		if text := plan.String() + applied.String(); strings.Contains(text, "planted") {
			t.Errorf("the plan shows a sensitive value:\n%s", text)
		}
		if got := Lookup(done(t, applied).Changes[address].After, "planned_changes"); got != step.want {
			t.Errorf("%s: applied %v", step.patch, got)
		}
		changes(t, w.Plan(t.Context(), provider+overridden(step.patch)), address, NoOp)
	}
	whole := strings.Replace(overridden(`value_sensitive = jsonencode({ planted_key = "planted" })`), "/data/color", "/data", 1)
	plan := w.Apply(t.Context(), provider+whole)
	if got := Lookup(done(t, plan).Changes[address].After, "planned_changes"); got != line("data: another value (redacted for security reasons)") || strings.Contains(plan.String(), "planted") {
		t.Errorf("the keys of a sensitive value: %v\n%s", got, plan)
	}
	removed := w.Apply(t.Context(), provider+overridden(""))
	if text := done(t, removed).String(); strings.Contains(text, "planted") {
		t.Errorf("the plan shows the value that it removes:\n%s", text)
	}
	if text := w.Plan(t.Context(), provider+overridden("")).String(); text != "" {
		t.Errorf("next plan: %s", text)
	}
	done(t, w.Apply(t.Context(), provider))
}

func line(field string) string {
	return "1 object to change on 1 cluster when their placements are applied\nplacement \"overridden\":\n  ConfigMap overridden/settings on member-1: " + field
}
