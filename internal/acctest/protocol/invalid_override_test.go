package protocol

import (
	"strings"
	"testing"
)

// override returns an override with one rule.
func override(rule string) string {
	return `
resource "fleet_resource_override" "o" {
  name               = "invalid"
  namespace          = "invalid-override"
  placement          = { name = "web" }
  resource_selectors = [{ group = "apps", version = "v1", kind = "Deployment", name = "web" }]
  policy             = { override_rules = [{
    cluster_selector = { cluster_selector_terms = [{ label_selector = { match_labels = { a = "b" } } }] }
    ` + rule + `
  }] }
}
`
}

func TestOverrideValidation(t *testing.T) {
	t.Parallel()
	provider := configured(t, "")
	valid := override(`json_patch_overrides = [{ op = "add", path = "/metadata/labels/x", value = jsonencode("y") }]`)
	w := New()
	done(t, w.Apply(t.Context(), provider+valid))
	for name, c := range map[string]struct{ blocks, want string }{
		"twice":             {valid + strings.NewReplacer(`"o" {`, `"twin" {`, `name               = "invalid"`, `name = "twin"`).Replace(valid), `already\s+selected\s+by`},
		"kind":              {override(`json_patch_overrides = [{ op = "add", path = "/kind", value = jsonencode("y") }]`), `path: kind and apiVersion`},
		"both types":        {override(`override_type = "Delete"` + "\n" + `json_patch_overrides = [{ op = "remove", path = "/spec/x" }]`), `Delete`},
		"no JSON":           {override(`json_patch_overrides = [{ op = "add", path = "/spec/x", value = "no json" }]`), `jsonencode`},
		"another placement": {strings.Replace(valid, `{ name = "web" }`, `{ name = "other" }`, 1), `placement`},
	} {
		t.Run(name, func(t *testing.T) { rejects(t, w.Apply(t.Context(), provider+c.blocks), c.want) })
	}
	done(t, w.Apply(t.Context(), provider))
}

func TestInvalidImportID(t *testing.T) {
	t.Parallel()
	provider := configured(t, "")
	rejects(t, New().Import(t.Context(), provider, "fleet_cluster_resource_override.o", "app/imported"), `Invalid import ID`)
	rejects(t, New().Import(t.Context(), provider, "fleet_envelope_configmap.e", "no-slash"), `NAMESPACE/NAME`)
}
