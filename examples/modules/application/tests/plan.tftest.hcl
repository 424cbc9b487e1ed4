# No cluster is needed: the provider is mocked.
mock_provider "fleet" {}

variables {
  name     = "shop"
  workload = { namespace = "shop", name = "web" }
  regions = {
    east = { replicas = 3 }
    west = { replicas = 1, patches = [{ op = "replace", path = "/spec/paused", value = "true" }] }
    home = {}
  }
}

run "overrides" {
  command = plan

  assert {
    condition     = jsonencode(fleet_resource_override.this[0].policy.override_rules[*].json_patch_overrides[*].path) == jsonencode([["/spec/replicas"], ["/spec/replicas", "/spec/paused"]])
    error_message = "Each region with replicas or patches has one rule with these patches, and the others have none."
  }

  assert {
    condition     = fleet_resource_override.this[0].policy.override_rules[0].cluster_selector.cluster_selector_terms[0].label_selector.match_labels == tomap({ region = "east" })
    error_message = "A rule applies to the members of its region."
  }

  assert {
    condition     = fleet_crp.this.policy.affinity.cluster_affinity.required_during_scheduling_ignored_during_execution.cluster_selector_terms[0].label_selector.match_expressions[0].values == tolist(["east", "home", "west"])
    error_message = "The placement picks the members of all regions."
  }

  assert {
    condition     = fleet_crp.this.resource_selectors[0].name == "shop"
    error_message = "Without manifests, the namespace is placed."
  }
}

run "without_overrides" {
  command = plan

  variables {
    manifests = { "web.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: shop}}" }
    regions   = { east = {} }
  }

  assert {
    condition     = length(fleet_resource_override.this) == 0 && fleet_crp.this.resource_selectors == null
    error_message = "Without replicas and patches, there is no override. With manifests, nothing on the hub is selected."
  }
}

run "no_region" {
  command = plan

  variables {
    regions = {}
  }

  expect_failures = [var.regions]
}
