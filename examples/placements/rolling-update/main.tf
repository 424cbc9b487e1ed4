# A placement that sets all arguments of the default rollout strategy.

terraform {
  required_providers {
    fleet = {
      source = "terraform-fleet/fleet"
    }
  }
}

variable "kubeconfig" {
  type        = string
  description = "Path of a kubeconfig with the contexts hub, member-1, member-2 and member-3."
}

locals {
  # The context of the kubeconfig for each member, by the name of the member.
  members = {
    member-1 = "member-1"
    member-2 = "member-2"
    member-3 = "member-3"
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

resource "fleet_crp" "crp" {
  name = "crp"

  resource_selectors = [
    {
      group   = ""
      kind    = "Namespace"
      name    = "rolling"
      version = "v1"
    }
  ]

  policy = {
    placement_type = "PickAll"
  }

  strategy = {
    type = "RollingUpdate"
    rolling_update = {
      max_unavailable            = "25%"
      max_surge                  = "25%"
      unavailable_period_seconds = 60
    }
  }

  depends_on = [fleet_member_cluster.member]
}
