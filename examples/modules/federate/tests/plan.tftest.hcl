# No cluster is needed: the provider is mocked, so an apply writes nothing. The copy of the workload is known only after an apply.
mock_provider "fleet" {
  mock_resource "fleet_workload" {
    defaults = {
      manifests = {
        "configmap.shop.settings.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: shop}}"
        "deployment.shop.web.yaml"     = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}}"
      }
      restart = "none"
    }
  }
}

variables {
  cluster  = "east"
  workload = { namespace = "shop", name = "web" }
}

run "direct" {
  assert {
    condition     = fleet_workload.this.cluster == "east" && fleet_workload.this.kind == "Deployment" && fleet_workload.this.through_hub == false
    error_message = "The Deployment is copied from its member."
  }

  assert {
    condition     = output.name == "shop-web" && fleet_crp.this[0].policy.cluster_names == tolist(["east"]) && fleet_crp.this[0].manifests == fleet_workload.this.manifests
    error_message = "The placement places the copy on the member on which the workload runs."
  }

  assert {
    condition     = fleet_crp.this[0].strategy.apply_strategy.when_to_take_over == "IfNoDiff" && fleet_crp.this[0].strategy.delete_strategy.propagation_policy == null
    error_message = "The placement takes over what does not differ, and pre-existing objects remain by default."
  }

  assert {
    condition     = length(fleet_envelope_configmap.this) + length(fleet_resource_placement.this) == 0 && output.restart == "none"
    error_message = "The placement contains the manifests, and the module reports whether Pods restart."
  }
}

run "manifests" {
  variables {
    clusters  = ["east", "west"]
    leave_out = ["configmap.shop.settings.yaml"]
    manifests = {
      "deployment.shop.web.yaml" = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop, labels: {team: shop}}}"
      "namespace.yaml"           = "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}"
    }
    propagation_policy = "Delete"
  }

  assert {
    condition     = jsonencode(output.manifests) == jsonencode(var.manifests) && fleet_crp.this[0].manifests == tomap(output.manifests)
    error_message = "Manifests are left out, replaced and added: ${join(", ", keys(output.manifests))}."
  }

  assert {
    condition     = fleet_crp.this[0].policy.cluster_names == tolist(["east", "west"]) && fleet_crp.this[0].strategy.delete_strategy.propagation_policy == "Delete"
    error_message = "The arguments of the module are those of the placement."
  }
}

run "policy" {
  variables {
    policy = { placement_type = "PickN", number_of_clusters = 2 }
  }

  assert {
    condition     = fleet_crp.this[0].policy.placement_type == "PickN" && fleet_crp.this[0].policy.number_of_clusters == 2 && fleet_crp.this[0].policy.cluster_names == null
    error_message = "A policy replaces the clusters."
  }
}

run "kubeadmiral" {
  variables {
    engine = "kubeadmiral"
  }

  assert {
    condition     = fleet_workload.this.through_hub && length(fleet_crp.this) == 1
    error_message = "The copy has the defaults of the host cluster, and the placement contains it."
  }
}

run "kubefleet" {
  variables {
    engine = "kubefleet"
  }

  assert {
    condition     = length(fleet_crp.this) == 0 && fleet_envelope_configmap.this[0].namespace == "shop" && fleet_envelope_configmap.this[0].manifests == fleet_workload.this.manifests
    error_message = "An envelope in the namespace of the workload carries the manifests."
  }

  assert {
    condition     = output.name == "shop-web" && fleet_resource_placement.this[0].resource_selectors[0].name == fleet_envelope_configmap.this[0].name
    error_message = "The placement selects the envelope."
  }

  assert {
    condition     = fleet_resource_placement.this[0].strategy.delete_strategy.propagation_policy == "Abandon"
    error_message = "All objects remain by default."
  }
}

run "unknown_key" {
  command = plan # the runs before have copied the workload

  variables {
    leave_out = ["configmap.shop.other.yaml"]
  }

  expect_failures = [var.leave_out]
}

run "unknown_engine" {
  command = plan

  variables {
    engine = "karmada"
  }

  expect_failures = [var.engine]
}
