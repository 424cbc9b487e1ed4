package acctest

import (
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

const envelope = "fleet_envelope_configmap.e"

// configureEnvelope returns the configuration of an envelope with a manifest.
func configureEnvelope(namespace, manifest string) string {
	return fleet.Provider(fleet.Env.Kubeconfig) + strings.ReplaceAll(`
resource "fleet_envelope_configmap" "e" {
  name      = "envelope-configmap"
  namespace = "env-test"
  manifests = { "quota.yaml" = `+"<<-YAML\n"+manifest+"\n    YAML\n  }\n}\n", "env-test", namespace)
}

// TestEnvelopeConfigMap checks an envelope with Terraform. TestLifeOfEnvelope and TestEnvelopeOnHub of package protocol check one without Terraform.
func TestEnvelopeConfigMap(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	clusters.Need(t, fleet.Env)
	fleet.Put(t, "hub", "apiVersion: v1\nkind: Namespace\nmetadata: {name: env-test}\n")
	plain := configureEnvelope("env-test", "apiVersion: v1\nkind: ResourceQuota\nmetadata:\n  name: q\n  namespace: env-test\nspec:\n  hard:\n    pods: \"4\"")
	formatted := configureEnvelope("env-test", "# a comment\nkind: ResourceQuota\napiVersion: v1\nspec: {hard: {pods: '4'}}\nmetadata: {namespace: env-test, name: q}")
	changed := strings.Replace(plain, `pods: "4"`, `pods: "5"`, 1)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: harness.Factories,
		Steps: []resource.TestStep{
			{
				Config: plain,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					// The objects are known in the plan.
					plancheck.ExpectKnownValue(envelope, tfjsonpath.New("objects").AtSliceIndex(0).AtMapKey("kind"), knownvalue.StringExact("ResourceQuota")),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(envelope, tfjsonpath.New("resource_selectors").AtSliceIndex(0).AtMapKey("name"), knownvalue.StringExact("env-test")),
				},
			},
			{
				PreConfig:        func() { checkEnvelope(t, "env-test") },
				Config:           formatted,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			},
			{Config: changed, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(envelope, plancheck.ResourceActionUpdate),
			}}},
			{Config: changed, ResourceName: envelope, ImportState: true, ImportStateId: "env-test/envelope-configmap", ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "uid"},
			{Config: changed, ResourceName: envelope, ImportState: true, ImportStateKind: resource.ImportBlockWithID, ImportStateId: "env-test/envelope-configmap"},
			{Config: changed, ResourceName: envelope, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
			{
				// Another client removes the annotation: the next apply restores it.
				PreConfig: func() {
					patchEnvelope(t, "env-test", `{"metadata":{"annotations":{"kubernetes-fleet.io/envelope-configmap":null}}}`)
				},
				Config: changed,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(envelope, plancheck.ResourceActionUpdate),
				}},
			},
			{
				PreConfig: func() {
					checkEnvelope(t, "env-test")
					if err := fleet.On(t, "hub").Delete(t.Context(), "v1", "ConfigMap", "env-test", "envelope-configmap"); err != nil {
						t.Fatal(err)
					}
				},
				Config: changed,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(envelope, plancheck.ResourceActionCreate),
				}},
			},
		},
	})
}

// Keys without a text are omitted, and labels of other clients stay.
func TestEnvelopeLabels(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	clusters.Need(t, fleet.Env)
	fleet.Put(t, "hub", "apiVersion: v1\nkind: Namespace\nmetadata: {name: env-labels}\n")
	plain := configureEnvelope("env-labels", "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: env-labels}, spec: {hard: {pods: '5'}}}")
	unchanged := resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: harness.Factories,
		Steps: []resource.TestStep{
			{Config: plain},
			{
				PreConfig: func() {
					patchEnvelope(t, "env-labels", `{"metadata":{"labels":{"policy":"checked"},"annotations":{"policy":"checked"}}}`)
				},
				Config:           strings.Replace(plain, "manifests = {", "labels = { team = \"web\" }\n  manifests = { \"none.yaml\" = null,", 1),
				ConfigPlanChecks: unchanged,
			},
			{Config: plain, ConfigPlanChecks: unchanged},
			{
				PreConfig: func() {
					checkEnvelope(t, "env-labels")
					u, err := fleet.On(t, "hub").Get(t.Context(), "v1", "ConfigMap", "env-labels", "envelope-configmap")
					if err != nil || !maps.Equal(u.GetLabels(), map[string]string{"policy": "checked"}) || u.GetAnnotations()["policy"] == "" {
						t.Errorf("%v, %v", u, err)
					}
				},
				Config: plain, ResourceName: envelope, ImportState: true, ImportStateId: "no-slash", ExpectError: regexp.MustCompile(`NAMESPACE/NAME`),
			},
		},
	})
}

func patchEnvelope(t *testing.T, namespace, patch string) {
	t.Helper()
	if err := fleet.On(t, "hub").Patch(t.Context(), "v1", "ConfigMap", namespace, "envelope-configmap", patch); err != nil {
		t.Fatal(err)
	}
}

// checkEnvelope checks the object on the hub against the published documentation.
func checkEnvelope(t *testing.T, namespace string) {
	t.Helper()
	u, err := fleet.On(t, "hub").Get(t.Context(), "v1", "ConfigMap", namespace, "envelope-configmap")
	if err != nil || u == nil {
		t.Fatalf("read the envelope on the hub: %v", err)
	}
	if got := u.GetAnnotations()["kubernetes-fleet.io/envelope-configmap"]; got != "true" {
		t.Errorf("annotation: %q", got)
	}
	if data, _, _ := unstructured.NestedStringMap(u.Object, "data"); len(data) != 1 || data["quota.yaml"] == "" {
		t.Errorf("data: %v", data)
	}
}

// Without a hub, a placement unwraps an envelope in its manifests as a hub would.
func TestEnvelopeWithoutHub(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	clusters.Need(t, fleet.Env)
	noHub := regexp.MustCompile(`(?m)^  hub .*$`).ReplaceAllString(fleet.Provider(fleet.Env.Kubeconfig), "")
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: harness.Factories, Steps: []resource.TestStep{
		{
			Config: noHub + `
resource "fleet_crp" "p" {
  name = "wrapped"
  manifests = {
    "namespace.yaml" = "{apiVersion: v1, kind: Namespace, metadata: {name: wrapped}}"
    "envelope.yaml"  = <<-YAML
      apiVersion: v1
      kind: ConfigMap
      metadata:
        name: envelope
        namespace: wrapped
        annotations: {kubernetes-fleet.io/envelope-configmap: "true"}
      data:
        quota.yaml: "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: wrapped}, spec: {hard: {pods: '4'}}}"
    YAML
  }
  policy = { placement_type = "PickFixed", cluster_names = ["member-2"] }
}
`,
			ConfigStateChecks: checkAvailable(),
		},
		{
			PreConfig: func() {
				fleet.Check(t, "member-2", "v1", "ResourceQuota", "wrapped", "q", 4, "spec", "hard", "pods")
				fleet.Absent(t, "member-2", "v1", "ConfigMap", "wrapped", "envelope")
			},
			RefreshState: true,
		},
	}})
}
