# No cluster is needed: the provider is mocked.
mock_provider "fleet" {}

variables {
  name      = "shop"
  manifests = { "settings.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: shop}}" }
}

run "two_placements" {
  command = plan

  assert {
    condition     = fleet_crp.canary[0].name == "shop-canary" && fleet_crp.others[0].name == "shop" && length(fleet_crp.staged) == 0
    error_message = "The canaries and the other members have a placement each."
  }

  assert {
    condition = [
      for placement in [fleet_crp.canary[0], fleet_crp.others[0]] : provider::fleet::schedule(
        jsonencode([{ name = "a", labels = { ring = "canary" } }, { name = "b", labels = { ring = "production" } }, { name = "c" }]),
        jsonencode(placement.policy),
      ).selected
    ] == [tolist(["a"]), tolist(["b", "c"])]
    error_message = "Each member is in exactly one of the placements."
  }
}

run "spread" {
  command = plan

  variables {
    spread = { clusters = 2 }
  }

  assert {
    condition = length(provider::fleet::schedule(
      jsonencode([{ name = "a", labels = { region = "east" } }, { name = "b", labels = { region = "east" } }, { name = "c", labels = { region = "west" } }]),
      jsonencode(fleet_crp.others[0].policy),
    ).selected) == 2
    error_message = "Two of the other members are picked."
  }
}

run "canaries_not_ready" {
  override_resource {
    target = fleet_crp.canary
    values = {
      phase    = "NotAllWorkAreAvailable"
      problems = "member-1: Deployment shop/web: NotAvailable"
    }
  }

  expect_failures = [fleet_crp.others]
}

run "canaries_not_ready_without_gate" {
  override_resource {
    target = fleet_crp.canary
    values = {
      phase    = "NotAllWorkAreAvailable"
      problems = "member-1: Deployment shop/web: NotAvailable"
    }
  }

  variables {
    gate = false
  }

  assert {
    condition     = output.problems["shop-canary"] == "member-1: Deployment shop/web: NotAvailable"
    error_message = "The module reports the problem of the canaries."
  }
}

run "stages" {
  command = plan

  variables {
    engine    = "kubefleet"
    manifests = null
    namespace = "shop"
    approval  = true
  }

  assert {
    condition     = fleet_staged_update_strategy.this[0].stages[*].name == tolist(["canary", "others"]) && fleet_staged_update_strategy.this[0].stages[0].after_stage_tasks[0].type == "Approval"
    error_message = "The canaries are the first stage, and an approval follows."
  }

  assert {
    condition     = fleet_staged_update_run.this[0].name == "shop-1" && fleet_crp.staged[0].strategy.type == "External"
    error_message = "Only the run rolls out the placement."
  }
}

run "manifests_on_a_hub" {
  command = plan

  variables {
    engine    = "kubefleet"
    namespace = "shop"
  }

  expect_failures = [var.manifests]
}
