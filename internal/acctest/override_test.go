package acctest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

func TestOverrideImportAndValidation(t *testing.T) {
	t.Parallel()
	clusters.Need(t, fleet.Env)
	const name = "fleet_resource_override.o"
	config := func(rule string) string {
		return fleet.Provider(fleet.Env.Kubeconfig) + `
resource "fleet_resource_override" "o" {
  name               = "o"
  namespace          = "app"
  placement          = { name = "web" }
  resource_selectors = [{ group = "apps", version = "v1", kind = "Deployment", name = "web" }]
  policy             = { override_rules = [{
    cluster_selector = { cluster_selector_terms = [{ label_selector = { match_labels = { a = "b" } } }] }
    ` + rule + `
  }] }
}
`
	}
	valid := config(`json_patch_overrides = [{ op = "add", path = "/metadata/labels/x", value = jsonencode("y") }]`)
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: harness.Factories, Steps: []resource.TestStep{
		{Config: valid},
		{Config: valid, ResourceName: name, ImportState: true, ImportStateKind: resource.ImportBlockWithID, ImportStateId: "app/o"},
		{Config: valid, ResourceName: name, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
		{
			PreConfig: func() {
				if err := fleet.On(t, "member-2").Delete(t.Context(), "v1", "ConfigMap", "fleet-system", "resource-override-app.o"); err != nil {
					t.Fatal(err)
				}
			},
			Config: valid,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(name, plancheck.ResourceActionUpdate),
			}},
		},
		{
			Config:      valid + strings.NewReplacer(fleet.Provider(fleet.Env.Kubeconfig), "", `"o" {`, `"twin" {`, `name               = "o"`, `name = "twin"`).Replace(valid),
			ExpectError: regexp.MustCompile(`already\s+selected\s+by`),
		},
		{Config: config(`json_patch_overrides = [{ op = "add", path = "/kind", value = jsonencode("y") }]`), ExpectError: regexp.MustCompile(`/kind`)},
		{Config: config(`override_type = "Delete"` + "\n" + `json_patch_overrides = [{ op = "remove", path = "/spec/x" }]`), ExpectError: regexp.MustCompile(`Delete`)},
		{Config: config(`json_patch_overrides = [{ op = "add", path = "/spec/x", value = "no json" }]`), ExpectError: regexp.MustCompile(`jsonencode`)},
		{Config: strings.Replace(valid, `{ name = "web" }`, `{ name = "other" }`, 1), ExpectError: regexp.MustCompile(`placement`)},
	}})
}

func TestClusterOverrideImport(t *testing.T) {
	t.Parallel()
	clusters.Need(t, fleet.Env)
	const name = "fleet_cluster_resource_override.o"
	config := fleet.Provider(fleet.Env.Kubeconfig) + `
resource "fleet_cluster_resource_override" "o" {
  name                       = "imported"
  cluster_resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "override-imported" }]
  policy = { override_rules = [{
    cluster_selector     = { cluster_selector_terms = [{ label_selector = {} }] }
    json_patch_overrides = [{ op = "add", path = "/metadata/labels", value = jsonencode({ x = "y" }) }]
  }] }
}
`
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: harness.Factories, Steps: []resource.TestStep{
		{Config: config},
		{Config: config, ResourceName: name, ImportState: true, ImportStateKind: resource.ImportBlockWithID, ImportStateId: "imported"},
		{Config: config, ResourceName: name, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
		{
			Config: config, ResourceName: name, ImportState: true, ImportStateKind: resource.ImportBlockWithID, ImportStateId: "app/imported",
			ExpectError: regexp.MustCompile(`Invalid import ID`),
		},
	}})
}
