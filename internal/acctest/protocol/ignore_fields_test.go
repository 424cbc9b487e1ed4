package protocol

import (
	"strings"
	"testing"
)

// TestIgnoredFields checks that a plan is empty after another client has changed an ignored field, and that it is not empty without the argument.
func TestIgnoredFields(t *testing.T) {
	t.Parallel()
	const address, configuration = "fleet_crp.p", `
resource "fleet_crp" "p" {
  name          = "ignored"
  policy        = { placement_type = "PickFixed", cluster_names = ["member-1", "member-2"] }
  ignore_fields = [{ kind = "ConfigMap", fields = ["data.color"] }]
  manifests = {
    namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: ignored}}"
    settings  = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: ignored}, data: {color: red, size: small}}"
  }
}
`
	provider := configured(t, "")
	fleet.Clear(t, "ignored")
	w := New()
	changes(t, w.Apply(t.Context(), provider+configuration), address, Create)
	fleet.Check(t, "member-1", "v1", "ConfigMap", "ignored", "settings", "red", "data", "color")
	patches(t, "ignored", "settings", "member-1", `{"data":{"color":"blue"}}`)()
	changes(t, w.Plan(t.Context(), provider+configuration), address, NoOp)

	large := strings.Replace(configuration, "small", "large", 1)
	plan := w.Plan(t.Context(), provider+large)
	if text := changes(t, plan, address, Update); strings.Contains(plan.String(), "color") || !strings.Contains(plan.String(), `data.size: "small" -> "large"`) {
		t.Errorf("planned %v:\n%s", text.After, plan)
	}
	changes(t, w.Apply(t.Context(), provider+large), address, Update)
	fleet.Check(t, "member-1", "v1", "ConfigMap", "ignored", "settings", "blue", "data", "color")
	changes(t, w.Plan(t.Context(), provider+large), address, NoOp)

	heeded := strings.Replace(large, "ignore_fields", "# ignore_fields", 1)
	if plan = w.Plan(t.Context(), provider+heeded); !strings.Contains(plan.String(), `data.color: "blue" -> "red"`) {
		t.Errorf("without the argument:\n%s", plan)
	}
	done(t, w.Apply(t.Context(), provider+heeded))
	fleet.Check(t, "member-1", "v1", "ConfigMap", "ignored", "settings", "red", "data", "color")
	changes(t, w.Plan(t.Context(), provider+heeded), address, NoOp)
	done(t, w.Apply(t.Context(), provider))
}
