package acctest

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

func TestMemberClusters(t *testing.T) {
	clusters.Need(t, env)
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{
		{
			Config: provider(env.Kubeconfig) + members + `
data "fleet_member_clusters" "all" {
  ` + afterMembers + `
}
data "fleet_member_clusters" "large" {
  property_selector = { match_expressions = [{ name = "kubernetes-fleet.io/node-count", operator = "Gt", values = ["1"] }] }
  ` + afterMembers + `
}
data "fleet_member_clusters" "small" {
  property_selector = { match_expressions = [{ name = "resources.kubernetes-fleet.io/total-cpu", operator = "Ge", values = ["1m"] }] }
  ` + afterMembers + `
}
data "fleet_member_clusters" "production" {
  label_selector = { match_expressions = [{ key = "environment", operator = "NotIn", values = ["canary"] }] }
  ` + afterMembers + `
}
`,
			ConfigStateChecks: []statecheck.StateCheck{
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
		{
			Config: provider(env.Kubeconfig) + `output "split" {
  value = provider::fleet::manifests("{apiVersion: v1, kind: Namespace, metadata: {name: a}}\n---\n{apiVersion: v1, kind: Secret, metadata: {name: b, namespace: a}}")
}
`,
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownOutputValue("split", knownvalue.MapSizeExact(2))},
		},
	}})
}
