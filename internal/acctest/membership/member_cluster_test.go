package membership

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

func TestMemberCluster(t *testing.T) {
	clusters.Need(t, fleet.Env)
	const name = "fleet_member_cluster.one"
	config := func(body string) string {
		return fleet.Provider(fleet.Env.Kubeconfig) + "resource \"fleet_member_cluster\" \"one\" {\n  name = \"member-1\"\n" + body + "}\n"
	}
	full := config(`
  labels = { region = "eu" }
  taints = [{ key = "maintenance", value = "yes", effect = "NoSchedule" }]
`)
	status := tfjsonpath.New("status")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: harness.Factories,
		Steps: []resource.TestStep{
			{
				Config: config(""),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(name, status.AtMapKey("conditions").AtMapKey("Joined"), knownvalue.StringExact("True")),
					statecheck.ExpectKnownValue(name, status.AtMapKey("cluster_uid"), knownvalue.StringRegexp(regexp.MustCompile(`^[0-9a-f-]{36}$`))),
				},
			},
			{
				Config: full,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(name, plancheck.ResourceActionUpdate),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(name, tfjsonpath.New("labels").AtMapKey("region"), knownvalue.StringExact("eu")),
				},
			},
			{Config: full, ResourceName: name, ImportState: true, ImportStateId: "member-1", ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name"},
			{Config: full, ResourceName: name, ImportState: true, ImportStateKind: resource.ImportBlockWithID, ImportStateId: "member-1"},
			{Config: full, ResourceName: name, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
			{
				// Another client deletes the record: the member has left and joins again.
				PreConfig: func() {
					if err := fleet.On(t, "member-1").Delete(t.Context(), "v1", "ConfigMap", "fleet-system", "member-cluster"); err != nil {
						t.Fatal(err)
					}
				},
				Config: full,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(name, plancheck.ResourceActionCreate),
				}},
			},
			{
				// Labels that another client changed are shown and restored.
				PreConfig: func() {
					if err := fleet.On(t, "member-1").Patch(t.Context(), "v1", "ConfigMap", "fleet-system", "member-cluster",
						`{"data":{"member.json":"{\"name\":\"member-1\",\"labels\":{\"region\":\"us\"},\"clusterUID\":\"`+uid(t, "member-1")+`\"}"}}`); err != nil {
						t.Fatal(err)
					}
				},
				Config: full,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(name, plancheck.ResourceActionUpdate),
				}},
			},
			{
				Config:      fleet.Provider(fleet.Env.Kubeconfig) + `resource "fleet_member_cluster" "one" { name = "nowhere" }`,
				ExpectError: regexp.MustCompile(`(?s)no\s+connection\s+to\s+the\s+member\s+"nowhere".*member-1,\s+member-2`),
			},
		},
	})
}

func uid(t *testing.T, cluster string) string {
	t.Helper()
	u, err := fleet.On(t, cluster).Get(t.Context(), "v1", "Namespace", "", "kube-system")
	if err != nil {
		t.Fatal(err)
	}
	return string(u.GetUID())
}
