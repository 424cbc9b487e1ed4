package acctest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

const crp = "fleet_crp.p"

// configurePlaced returns the configuration of a placement.
func configurePlaced(body string) string {
	return fleet.Provider(fleet.Env.Kubeconfig) + "resource \"fleet_crp\" \"p\" {\n" + body + "\n}\n"
}

// checkAvailable checks that the placement is available on all its clusters.
func checkAvailable() []statecheck.StateCheck {
	return []statecheck.StateCheck{
		statecheck.ExpectKnownValue(crp, tfjsonpath.New("phase"), knownvalue.StringExact("Available")),
		statecheck.ExpectKnownValue(crp, tfjsonpath.New("problems"), knownvalue.StringExact("")),
	}
}

// prepareStorefront creates a namespace with objects, and a ClusterRole, on the hub. It returns a function that configures their placement with a policy.
func prepareStorefront(t *testing.T, name string) func(policy string) string {
	t.Helper()
	fleet.Clear(t, name)
	fleet.Put(t, "hub", strings.ReplaceAll(`
apiVersion: v1
kind: Namespace
metadata: {name: storefront, labels: {team: storefront}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: storefront}
data: {color: red}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: storefront}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "nginx:1.29", resources: {requests: {cpu: 1000m}}}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: storefront-reader}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
`, "storefront", name))
	return func(policy string) string {
		return configurePlaced(strings.ReplaceAll(`
  name = "storefront"
  resource_selectors = [
    { group = "", version = "v1", kind = "Namespace", name = "storefront" },
    { group = "rbac.authorization.k8s.io", version = "v1", kind = "ClusterRole", name = "storefront-reader" },
  ]
`, "storefront", name) + policy)
	}
}

// checkStorefrontGone checks that no member has an object of the placement.
func checkStorefrontGone(t *testing.T, name string) {
	t.Helper()
	for _, member := range fleet.Env.Members {
		fleet.Absent(t, member, "v1", "Namespace", "", name)
		fleet.Absent(t, member, "rbac.authorization.k8s.io/v1", "ClusterRole", "", name+"-reader")
		fleet.Absent(t, member, "v1", "ConfigMap", "fleet-system", "placement-"+name)
	}
}

// selectLabelled returns a policy that picks all members that a term selects.
func selectLabelled(term string) string {
	return `
  policy = {
    placement_type = "PickAll"
    affinity = { cluster_affinity = { required_during_scheduling_ignored_during_execution = {
      cluster_selector_terms = [{ label_selector = { ` + term + ` } }]
    } } }
  }`
}

const inProduction = `match_labels = { environment = "production" }`

// TestPlacement checks a placement of selected objects with Terraform. TestLifeOfSelection of package protocol checks one without Terraform.
func TestPlacement(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	production := prepareStorefront(t, "storefront")(selectLabelled(inProduction))
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: harness.Factories,
		Steps: []resource.TestStep{
			{
				Config:            production,
				ConfigStateChecks: checkAvailable(),
			},
			{Config: production, ResourceName: crp, ImportState: true, ImportStateId: "storefront", ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name"},
			{Config: production, ResourceName: crp, ImportState: true, ImportStateKind: resource.ImportBlockWithID, ImportStateId: "storefront"},
			{Config: production, ResourceName: crp, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
			{
				// An object on the hub changes: the plan shows it, and the apply updates the members.
				PreConfig: func() {
					if err := fleet.On(t, "hub").Patch(t.Context(), "v1", "ConfigMap", "storefront", "settings", `{"data":{"color":"blue"}}`); err != nil {
						t.Fatal(err)
					}
				},
				Config: production,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(crp, plancheck.ResourceActionUpdate), plancheck.ExpectUnknownValue(crp, tfjsonpath.New("phase")),
				}},
			},
			{
				// On a member, one object is changed and another deleted: the apply restores both.
				PreConfig: func() {
					fleet.Check(t, "member-1", "v1", "ConfigMap", "storefront", "settings", "blue", "data", "color")
					if err := fleet.On(t, "member-1").Patch(t.Context(), "v1", "ConfigMap", "storefront", "settings", `{"data":{"color":"green"}}`); err != nil {
						t.Fatal(err)
					}
					if err := fleet.On(t, "member-2").Delete(t.Context(), "v1", "ConfigMap", "storefront", "settings"); err != nil {
						t.Fatal(err)
					}
				},
				Config: production,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(crp, plancheck.ResourceActionUpdate),
				}},
				Check: func(*terraform.State) error {
					fleet.Check(t, "member-1", "v1", "ConfigMap", "storefront", "settings", "blue", "data", "color")
					fleet.Check(t, "member-2", "v1", "ConfigMap", "storefront", "settings", "blue", "data", "color")
					return nil
				},
			},
		},
	})
	checkStorefrontGone(t, "storefront")
}

// A changed policy moves a placement to other clusters.
func TestPlacementElsewhere(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	config := prepareStorefront(t, "elsewhere")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: harness.Factories,
		Steps: []resource.TestStep{
			{Config: config(selectLabelled(inProduction))},
			{
				Config: config("  policy = { placement_type = \"PickFixed\", cluster_names = [\"member-3\"] }"), // another type of policy
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(crp, plancheck.ResourceActionUpdate),
				}},
				ConfigStateChecks: checkAvailable(),
			},
			{
				Config:            config(selectLabelled(`match_expressions = [{ key = "environment", operator = "In", values = ["canary"] }]`)),
				ConfigStateChecks: checkAvailable(),
			},
		},
	})
	checkStorefrontGone(t, "elsewhere")
}

// A placement of manifests needs no hub, and its import includes the manifests.
func TestPlacementOfManifests(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	clusters.Need(t, fleet.Env)
	noHub := regexp.MustCompile(`(?m)^  hub .*$`).ReplaceAllString(fleet.Provider(fleet.Env.Kubeconfig), "")
	config := func(text string) string {
		return noHub + `
resource "fleet_crp" "p" {
  name = "carried"
  manifests = { "all.yaml" = <<-YAML
` + text + `
    YAML
  }
  # Whether a Gadget is available is unknown: the apply waits for this period instead, by default a minute.
  strategy = { apply_strategy = { type = "ServerSideApply" }, rolling_update = { unavailable_period_seconds = 1 } }
}
`
	}
	first := config(`
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata: {name: gadgets.example.com}
    spec:
      group: example.com
      scope: Namespaced
      names: {kind: Gadget, plural: gadgets}
      versions:
      - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
    ---
    apiVersion: example.com/v1
    kind: Gadget
    metadata: {name: one, namespace: carried}
    spec: {size: 3}
    ---
    apiVersion: v1
    kind: Namespace
    metadata: {name: carried}
    ---
    apiVersion: v1
    kind: Secret
    metadata: {name: key, namespace: carried}
    stringData: {password: hunter2-planted}
    ---
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: settings, namespace: carried}
    data: {a: "1", b: "2"}`)
	second := strings.Replace(first, `data: {a: "1", b: "2"}`, `data: {a: "1"}`, 1)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: harness.Factories,
		Steps: []resource.TestStep{
			{Config: first, ConfigStateChecks: checkAvailable()},
			{Config: strings.Replace(first, "kind: Namespace\n    metadata: {name: carried}", "kind: Namespace   # a comment\n    metadata:\n      name: carried", 1), PlanOnly: true},
			{Config: first, ResourceName: crp, ImportState: true, ImportStateKind: resource.ImportBlockWithID, ImportStateId: "carried"},
			{
				PreConfig: func() {
					fleet.Check(t, "member-2", "example.com/v1", "Gadget", "carried", "one", 3, "spec", "size")
					fleet.Check(t, "member-2", "v1", "ConfigMap", "carried", "settings", 2, "data", "b")
				},
				Config: second,
			},
			{
				PreConfig: func() {
					// Server-side apply removes what is no longer in the manifest, also from objects that the provider created.
					fleet.Check(t, "member-2", "v1", "ConfigMap", "carried", "settings", "map[a:1]", "data")
				},
				Config: second, PlanOnly: true,
			},
		},
	})
	fleet.Absent(t, "member-1", "v1", "Namespace", "", "carried")
	fleet.Absent(t, "member-1", "v1", "Secret", "fleet-system", "placement-carried")
	fleet.Absent(t, "member-1", "apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "gadgets.example.com")
}
