# A placement of a namespace, with everything in it, on all clusters that have a label.

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
    environment = each.key == "member-3" ? "staging" : "production"
  }
}

resource "fleet_crp" "crp_1" {
  name = "crp-1"

  policy = {
    placement_type = "PickAll"
    affinity = {
      cluster_affinity = {
        required_during_scheduling_ignored_during_execution = {
          cluster_selector_terms = [
            {
              label_selector = {
                match_labels = {
                  environment = "production"
                }
              }
            }
          ]
        }
      }
    }
  }

  resource_selectors = [
    {
      group   = ""
      kind    = "Namespace"
      name    = "prod-deployment"
      version = "v1"
    }
  ]

  depends_on = [fleet_member_cluster.member]
}
