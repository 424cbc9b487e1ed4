terraform {
  required_version = ">= 1.14" # actions
  required_providers {
    fleet = { source = "terraform-fleet/fleet" }
  }
}

variable "kubeconfig" {
  type    = string
  default = "~/.kube/config"
}

# Name of the run. A run with another name rolls out the content that the hub has at that time.
variable "run" {
  type    = string
  default = "staged-1"
}

# Number of clusters, out of three, on which the placement must remain available during an eviction.
variable "min_available" {
  type    = string
  default = "3"
}

variable "wait_until" {
  type    = string
  default = null
}

provider "fleet" {
  engine = "kubefleet"
  hub    = { config_path = var.kubeconfig, config_context = "hub" }
  members = {
    member-1 = { config_path = var.kubeconfig, config_context = "member-1" }
    member-2 = { config_path = var.kubeconfig, config_context = "member-2" }
    member-3 = { config_path = var.kubeconfig, config_context = "member-3" }
  }
}

resource "fleet_member_cluster" "member" {
  for_each = { member-1 = "canary", member-2 = "production", member-3 = "production" }
  name     = each.key
  labels   = { ring = each.value }
}

# Only a run rolls out this placement.
resource "fleet_crp" "staged" {
  name               = "staged"
  resource_selectors = [{ group = "", version = "v1", kind = "Namespace", name = "staged" }]
  strategy           = { type = "External" }
  depends_on         = [fleet_member_cluster.member]
}

# The canary first. After an approval, both other clusters at the same time.
resource "fleet_staged_update_strategy" "by_ring" {
  name = "by-ring"
  stages = [
    { name = "canary", label_selector = { match_labels = { ring = "canary" } }, after_stage_tasks = [{ type = "Approval" }] },
    { name = "production", label_selector = { match_labels = { ring = "production" } }, max_concurrency = "100%" },
  ]
}

resource "fleet_staged_update_run" "staged" {
  name                         = var.run
  placement_name               = fleet_crp.staged.name
  staged_rollout_strategy_name = fleet_staged_update_strategy.by_ring.name
  state                        = "Run"
  wait                         = { until = var.wait_until }
}

# terraform apply -invoke=action.fleet_stage_approval.canary
action "fleet_stage_approval" "canary" {
  config {
    run_name   = var.run
    stage_name = "canary"
    message    = "The canary is healthy"
  }
}

resource "fleet_disruption_budget" "staged" {
  placement_name = fleet_crp.staged.name
  min_available  = var.min_available
}

# terraform apply -invoke=action.fleet_eviction.member_3
action "fleet_eviction" "member_3" {
  config {
    placement_name = "staged"
    cluster_name   = "member-3"
  }
}

output "run" {
  value = fleet_staged_update_run.staged.status.stages
}
