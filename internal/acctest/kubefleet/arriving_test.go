package kubefleet

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
)

// TestNamespaceOfAnotherPlacement checks that, in a first apply, the Namespace of one placement is no obstacle for another placement that does not depend on
// the first one.
func TestNamespaceOfAnotherPlacement(t *testing.T) {
	fleet.Parallel(t)
	w := world.New(t, env, "arriving", env.Hub)
	run := newWorkspace(t, provider(env.Kubeconfig)+w.Expand(`
resource "fleet_envelope_configmap" "settings" {
  name      = "settings"
  namespace = "$ns"
  manifests = { "settings.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {color: blue}}" }
}
resource "fleet_resource_placement" "settings" {
  name               = "settings"
  namespace          = "$ns"
  resource_selectors = [{ group = "placement.kubernetes-fleet.io", version = "v1beta1", kind = "ResourceEnvelope", name = "settings" }]
  depends_on         = [fleet_envelope_configmap.settings]
}
resource "fleet_crp" "namespace" {
  name               = "$ns"
  resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "$ns", selection_scope = "NamespaceOnly" }]
}
`))
	out := must(t, run, "plan", "-out=saved")
	if strings.Contains(out, "annot be placed") || strings.Contains(out, "not found") {
		t.Errorf("the plan shows an obstacle:\n%s", out)
	}
	out = must(t, run, "apply", "saved")
	if strings.Contains(out, "Warning") {
		t.Errorf("the apply warns:\n%s", out)
	}
	for _, member := range env.Members {
		if get(t, member, "v1", "ConfigMap", w.Expand("$ns"), "settings") == nil {
			t.Errorf("%s has no ConfigMap", member)
		}
	}
	contains(t, must(t, run, "plan"), "No changes.")
}
