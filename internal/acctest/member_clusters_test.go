package acctest

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

func TestMemberClusters(t *testing.T) {
	t.Parallel()
	clusters.Need(t, fleet.Env)
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: harness.Factories, Steps: []resource.TestStep{
		{
			Config: fleet.Provider(fleet.Env.Kubeconfig) + `
output "split" {
  value = provider::fleet::manifests("{apiVersion: v1, kind: Namespace, metadata: {name: a}}\n---\n{apiVersion: v1, kind: Secret, metadata: {name: b, namespace: a}}")
}
data "fleet_member_clusters" "all" {
}
data "fleet_member_clusters" "large" {
  property_selector = { match_expressions = [{ name = "kubernetes-fleet.io/node-count", operator = "Gt", values = ["1"] }] }
}
data "fleet_member_clusters" "small" {
  property_selector = { match_expressions = [{ name = "resources.kubernetes-fleet.io/total-cpu", operator = "Ge", values = ["1m"] }] }
}
data "fleet_member_clusters" "production" {
  label_selector = { match_expressions = [{ key = "environment", operator = "NotIn", values = ["canary"] }] }
}
`,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownOutputValue("split", knownvalue.MapSizeExact(2)),
				statecheck.ExpectKnownValue("data.fleet_member_clusters.all", tfjsonpath.New("names"), knownvalue.ListSizeExact(3)),
				statecheck.ExpectKnownValue("data.fleet_member_clusters.large", tfjsonpath.New("names"), knownvalue.ListSizeExact(0)),
				statecheck.ExpectKnownValue("data.fleet_member_clusters.small", tfjsonpath.New("names"), knownvalue.ListSizeExact(3)),
				statecheck.ExpectKnownValue("data.fleet_member_clusters.production", tfjsonpath.New("names"), knownvalue.ListExact([]knownvalue.Check{
					knownvalue.StringExact("member-1"), knownvalue.StringExact("member-2"),
				})),
				statecheck.ExpectKnownValue("data.fleet_member_clusters.all",
					tfjsonpath.New("member_clusters").AtMapKey("member-3").AtMapKey("labels").AtMapKey("environment"), knownvalue.StringExact("canary")),
			},
		},
	}})
}
