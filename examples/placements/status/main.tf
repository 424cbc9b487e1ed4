# Reading the status of a placement: a check that fails if the workload is not available on all clusters, and outputs.

terraform {
  required_providers {
    fleet = {
      source = "terraform-fleet/fleet"
    }
  }
}

variable "kubeconfig" {
  type        = string
  description = "Path of a kubeconfig with the contexts hub, member-1 and member-2."
}

locals {
  # The context of the kubeconfig for each member, by the name of the member.
  members = {
    aks-member-1 = "member-1"
    aks-member-2 = "member-2"
  }
}

provider "fleet" {
  applying = terraform.applying

  hub = {
    config_path    = var.kubeconfig
    config_context = "hub"
  }

  members = {
    for name, context in local.members : name => {
      config_path    = var.kubeconfig
      config_context = context
    }
  }
}

resource "fleet_member_cluster" "member" {
  for_each = local.members

  name = each.key
}

resource "fleet_crp" "crp_1" {
  name = "crp-1"

  resource_selectors = [
    {
      group   = ""
      kind    = "Namespace"
      name    = "test"
      version = "v1"
    }
  ]

  depends_on = [fleet_member_cluster.member]
}

check "available_everywhere" {
  assert {
    condition     = fleet_crp.crp_1.phase == "Available"
    error_message = "The placement is not available on all clusters: ${fleet_crp.crp_1.problems}"
  }
}

# The complete status: conditions with their messages, selected objects, differences.
data "fleet_crp" "crp_1" {
  name = "crp-1"

  depends_on = [fleet_crp.crp_1]
}

output "scheduled" {
  description = "Why the clusters were picked."
  value = {
    for name, cluster in data.fleet_crp.crp_1.status.placement_statuses : name => cluster.conditions["Scheduled"].message
  }
}

output "selected_resources" {
  description = "The placed objects."
  value       = data.fleet_crp.crp_1.status.selected_resources
}
