package acctest

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// Creating an override that another configuration has created with other content is an error. If the content is the same, the override may come from an earlier
// apply of this configuration that was killed: the apply takes it over with a warning, and the other configuration can no longer change it.
func TestOverrideIsThereAlready(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	clusters.Need(t, fleet.Env)
	const one = `
resource "fleet_cluster_resource_override" "o" {
  name                       = "shared-override"
  cluster_resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "shared-override" }]
  policy = {
    override_rules = [{
      cluster_selector     = { cluster_selector_terms = [] }
      json_patch_overrides = [{ op = "add", path = "/metadata/labels/a", value = jsonencode("1") }]
    }]
  }
}
`
	first, second := fleet.Open(t, fleet.Newest(t), "", fleet.Provider(fleet.Env.Kubeconfig)+one), fleet.Open(t, fleet.Newest(t), "", fleet.Provider(fleet.Env.Kubeconfig)+one)
	fleet.DestroyAtEnd(t, first)
	if out := must(t, first, "apply", "-auto-approve"); strings.Contains(out, "already") {
		t.Errorf("a new override is reported as existing:\n%s", out)
	}
	contains(t, must(t, second, "apply", "-auto-approve"), "already existed", "member-1, member-2", "another configuration")
	must(t, second, "state", "rm", "fleet_cluster_resource_override.o")
	harness.Rewrite(t, second, fleet.Provider(fleet.Env.Kubeconfig)+strings.Replace(one, `jsonencode("1")`, `jsonencode("2")`, 1))
	out, err := second.Run(t.Context(), nil, "apply", "-auto-approve", "-no-color")
	if err == nil {
		t.Errorf("the apply overwrote the other configuration's override:\n%s", out)
	}
	contains(t, out, "exists already", "Import it")
	contains(t, must(t, first, "plan"), "No changes.", "could not be refreshed", "managed by another configuration")
	if out, err := first.Run(t.Context(), nil, "destroy", "-auto-approve", "-no-color"); err == nil {
		t.Errorf("the destroy deleted the other configuration's override:\n%s", out)
	}
	must(t, first, "state", "rm", "fleet_cluster_resource_override.o")
	must(t, first, "import", "fleet_cluster_resource_override.o", "shared-override")
	contains(t, must(t, first, "plan"), "No changes.")
}
