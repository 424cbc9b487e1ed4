# A placement that spreads over regions, and, as far as possible, over update days.

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
  labels = {
    region    = each.key == "member-1" ? "east" : "west"
    updateDay = each.key == "member-3" ? "tuesday" : "monday"
  }
}

resource "fleet_crp" "crp" {
  name = "crp"

  resource_selectors = [
    {
      group   = ""
      kind    = "Namespace"
      name    = "spread"
      version = "v1"
    }
  ]

  policy = {
    placement_type     = "PickN"
    number_of_clusters = 2
    topology_spread_constraints = [
      {
        max_skew           = 2
        topology_key       = "region"
        when_unsatisfiable = "DoNotSchedule"
      },
      {
        max_skew           = 2
        topology_key       = "updateDay"
        when_unsatisfiable = "ScheduleAnyway"
      },
    ]
  }

  depends_on = [fleet_member_cluster.member]
}
