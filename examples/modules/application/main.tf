locals {
  # KubeFleet's limit is 20 patches for each region.
  patches = {
    for region, settings in var.regions : region => concat(
      settings.replicas == null ? [] : [{ op = "replace", path = "/spec/replicas", value = jsonencode(settings.replicas) }],
      settings.patches,
    )
  }
}

resource "fleet_resource_override" "this" {
  # An override without rules would be invalid.
  count = length(flatten(values(local.patches))) > 0 ? 1 : 0

  name      = var.name
  namespace = var.workload.namespace

  # With the name of the placement, a hub of KubeFleet rolls out a change of the override immediately.
  placement = { name = var.name }

  resource_selectors = [{
    group   = var.workload.group
    version = var.workload.version
    kind    = var.workload.kind
    name    = var.workload.name
  }]

  policy = {
    override_rules = [
      for region, patches in local.patches : {
        cluster_selector = {
          cluster_selector_terms = [{ label_selector = { match_labels = { (var.region_label) = region } } }]
        }
        json_patch_overrides = patches
      } if length(patches) > 0
    ]
  }
}

resource "fleet_crp" "this" {
  name      = var.name
  manifests = var.manifests

  # Without manifests, the namespace on the hub is placed, with all its objects.
  resource_selectors = var.manifests != null ? null : [{
    group   = ""
    version = "v1"
    kind    = "Namespace"
    name    = var.workload.namespace
  }]

  policy = {
    placement_type = "PickAll"
    affinity = {
      cluster_affinity = {
        required_during_scheduling_ignored_during_execution = {
          cluster_selector_terms = [{
            label_selector = {
              match_expressions = [{ key = var.region_label, operator = "In", values = keys(var.regions) }]
            }
          }]
        }
      }
    }
  }

  strategy = {
    apply_strategy = { when_to_take_over = var.when_to_take_over }
    rolling_update = { max_unavailable = var.max_unavailable }
  }

  wait     = var.wait
  timeouts = var.timeouts

  depends_on = [fleet_resource_override.this]
}
