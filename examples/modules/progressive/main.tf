locals {
  staged = var.engine == "kubefleet"
  canary = { key = var.ring_label, operator = "In", values = [var.canary] }
  others = { key = var.ring_label, operator = "NotIn", values = [var.canary] }

  strategy = {
    apply_strategy = { when_to_take_over = var.when_to_take_over }
    rolling_update = { max_unavailable = var.max_unavailable }
  }
}

# With the engine direct, each ring has a placement of its own. Terraform applies the placement of the canaries and waits for it.
resource "fleet_crp" "canary" {
  count = local.staged ? 0 : 1

  name      = "${var.name}-canary"
  manifests = var.manifests

  policy = {
    placement_type = "PickAll"
    affinity = { cluster_affinity = { required_during_scheduling_ignored_during_execution = {
      cluster_selector_terms = [{ label_selector = { match_expressions = [local.canary] } }]
    } } }
  }

  strategy = local.strategy
  wait     = var.wait
  timeouts = var.timeouts
}

resource "fleet_crp" "others" {
  count = local.staged ? 0 : 1

  name      = var.name
  manifests = var.manifests

  policy = {
    placement_type     = var.spread == null ? "PickAll" : "PickN"
    number_of_clusters = var.spread == null ? null : var.spread.clusters
    topology_spread_constraints = var.spread == null ? null : [{
      topology_key       = var.spread.label
      when_unsatisfiable = "DoNotSchedule"
    }]
    affinity = { cluster_affinity = { required_during_scheduling_ignored_during_execution = {
      cluster_selector_terms = [{ label_selector = { match_expressions = [local.others] } }]
    } } }
  }

  strategy = local.strategy
  wait     = var.wait
  timeouts = var.timeouts

  lifecycle {
    # The phase is unknown while the canaries change, so Terraform evaluates the condition after it has changed them.
    precondition {
      condition     = !var.gate || contains(["Available", try(coalesce(var.wait.until), "Available")], fleet_crp.canary[0].phase)
      error_message = "The canaries are not ready, so the other clusters remain unchanged. ${coalesce(fleet_crp.canary[0].problems, "Phase: ${coalesce(fleet_crp.canary[0].phase, "unknown")}")}"
    }
  }
}

# On a hub of KubeFleet, a run updates the clusters of one placement in stages.
resource "fleet_crp" "staged" {
  count = local.staged ? 1 : 0

  name               = var.name
  resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = var.namespace }]

  strategy = {
    type           = "External"
    apply_strategy = { when_to_take_over = var.when_to_take_over }
  }

  wait     = var.wait
  timeouts = var.timeouts
}

resource "fleet_staged_update_strategy" "this" {
  count = local.staged ? 1 : 0

  name = var.name
  stages = [
    {
      name              = "canary"
      label_selector    = { match_expressions = [local.canary] }
      after_stage_tasks = var.approval ? [{ type = "Approval" }] : null
    },
    {
      name            = "others"
      label_selector  = { match_expressions = [local.others] }
      max_concurrency = var.max_unavailable
    },
  ]
}

resource "fleet_staged_update_run" "this" {
  count = local.staged ? 1 : 0

  name                         = "${var.name}-${var.run}"
  placement_name               = fleet_crp.staged[0].name
  staged_rollout_strategy_name = fleet_staged_update_strategy.this[0].name
  state                        = "Run"
}
