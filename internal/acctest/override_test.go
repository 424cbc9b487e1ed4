package acctest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
)

func TestOverride(t *testing.T) {
	binary := newest(t)
	root, err := gobuild.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "examples", "override", "hub.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, "hub", string(text))
	w := newWorkspace(t, binary, "examples/override", "")
	destroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	check(t, "member-1", "apps/v1", "Deployment", "override-web", "web", 3, "spec", "replicas")
	check(t, "member-3", "apps/v1", "Deployment", "override-web", "web", 1, "spec", "replicas")
	check(t, "member-2", "v1", "Namespace", "", "override-web", "member-2", "metadata", "labels", "cluster")
	check(t, "member-2", "v1", "ConfigMap", "override-web", "limits", 10, "data", "max")
	absent(t, "member-3", "v1", "ConfigMap", "override-web", "limits")
	contains(t, must(t, w, "plan"), "No changes.")
	contains(t, must(t, w, "show"), `"Overridden" = "True"`)

	// A changed override changes the placement, on the clusters that it concerns, in one plan and one apply.
	file := filepath.Join(w.Dir, "main.tf")
	config, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(config), "jsonencode(1)", "jsonencode(2)", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	contains(t, must(t, w, "apply", "-auto-approve"), `member-3: update 1`, "spec.replicas: 1 on the cluster", "2 to be placed")
	contains(t, must(t, w, "plan"), "No changes.")
	check(t, "member-3", "apps/v1", "Deployment", "override-web", "web", 2, "spec", "replicas")

	// One that cannot be applied stops the cluster, and says which rule is at fault.
	if err := os.WriteFile(file, []byte(strings.Replace(string(config), `"/spec/replicas"`, `"/spec/no/such/field"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	contains(t, must(t, w, "plan"), "ResourceOverride override-web/web", "/spec/no/such/field")
	if out, err := w.Run(t.Context(), nil, "apply", "-auto-approve", "-no-color"); err == nil {
		t.Errorf("the apply did not fail:\n%s", out)
	}
	contains(t, must(t, w, "show"), "OverriddenFailed")
	check(t, "member-3", "apps/v1", "Deployment", "override-web", "web", 2, "spec", "replicas")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, w, "destroy", "-auto-approve")
	absent(t, "member-1", "v1", "Namespace", "", "override-web")
	absent(t, "member-1", "v1", "ConfigMap", "fleet-system", "resource-override-override-web.web")
}

func TestOverrideImportAndValidation(t *testing.T) {
	clusters.Need(t, env)
	const name = "fleet_resource_override.o"
	config := func(rule string) string {
		return provider(env.Kubeconfig) + `
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
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{
		{Config: valid},
		{Config: valid, ResourceName: name, ImportState: true, ImportStateKind: resource.ImportBlockWithID, ImportStateId: "app/o"},
		{Config: valid, ResourceName: name, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
		{
			PreConfig: func() {
				if err := on(t, "member-2").Delete(t.Context(), "v1", "ConfigMap", "fleet-system", "resource-override-app.o"); err != nil {
					t.Fatal(err)
				}
			},
			Config: valid,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(name, plancheck.ResourceActionUpdate),
			}},
		},
		{
			Config:      valid + strings.NewReplacer(provider(env.Kubeconfig), "", `"o" {`, `"twin" {`, `name               = "o"`, `name = "twin"`).Replace(valid),
			ExpectError: regexp.MustCompile(`already\s+selected\s+by`),
		},
		{Config: config(`json_patch_overrides = [{ op = "add", path = "/kind", value = jsonencode("y") }]`), ExpectError: regexp.MustCompile(`/kind`)},
		{Config: config(`override_type = "Delete"` + "\n" + `json_patch_overrides = [{ op = "remove", path = "/spec/x" }]`), ExpectError: regexp.MustCompile(`Delete`)},
		{Config: config(`json_patch_overrides = [{ op = "add", path = "/spec/x", value = "no json" }]`), ExpectError: regexp.MustCompile(`jsonencode`)},
		{Config: strings.Replace(valid, `{ name = "web" }`, `{ name = "other" }`, 1), ExpectError: regexp.MustCompile(`placement`)},
	}})
}

func TestClusterOverrideImport(t *testing.T) {
	clusters.Need(t, env)
	const name = "fleet_cluster_resource_override.o"
	config := provider(env.Kubeconfig) + `
resource "fleet_cluster_resource_override" "o" {
  name                       = "imported"
  cluster_resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "app" }]
  policy = { override_rules = [{
    cluster_selector     = { cluster_selector_terms = [{ label_selector = {} }] }
    json_patch_overrides = [{ op = "add", path = "/metadata/labels", value = jsonencode({ x = "y" }) }]
  }] }
}
`
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{
		{Config: config},
		{Config: config, ResourceName: name, ImportState: true, ImportStateKind: resource.ImportBlockWithID, ImportStateId: "imported"},
		{Config: config, ResourceName: name, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
		{
			Config: config, ResourceName: name, ImportState: true, ImportStateKind: resource.ImportBlockWithID, ImportStateId: "app/imported",
			ExpectError: regexp.MustCompile(`Invalid import ID`),
		},
	}})
}
