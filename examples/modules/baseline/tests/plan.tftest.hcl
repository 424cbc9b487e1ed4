# No cluster is needed: the provider is mocked.
mock_provider "fleet" {}

variables {
  namespaces = {
    shop = { labels = { team = "shop" }, quota = { "limits.memory" = "8Gi" }, limits = { memory = "256Mi" } }
    lab  = { isolated = false }
  }
}

run "manifests" {
  command = plan

  assert {
    condition     = keys(output.manifests) == ["limits.shop.yaml", "namespace.lab.yaml", "namespace.shop.yaml", "network-policy.shop.yaml", "quota.shop.yaml"]
    error_message = "The manifests are ${join(", ", keys(output.manifests))}."
  }

  assert {
    condition     = yamldecode(output.manifests["quota.shop.yaml"]).spec.hard == { "limits.memory" = "8Gi" }
    error_message = "The quota has the given limits."
  }

  assert {
    condition = provider::fleet::schedule(
      jsonencode([{ name = "a" }, { name = "b", taints = [{ key = "team", value = "x", effect = "NoSchedule" }] }]), jsonencode(fleet_crp.this.policy),
    ).selected == tolist(["a", "b"])
    error_message = "Every member is picked, including those with taints."
  }
}

run "replaced" {
  command = plan

  variables {
    manifests = { "network-policy.shop.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: mine, namespace: shop}}" }
  }

  assert {
    condition     = yamldecode(output.manifests["network-policy.shop.yaml"]).metadata.name == "mine"
    error_message = "A manifest under a key of the module replaces that of the module."
  }
}
