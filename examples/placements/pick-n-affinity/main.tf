# A placement on the best clusters by affinity: a required term selects the clusters, and a preferred term ranks critical clusters higher.

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
    critical-allowed = "true"
    critical-level   = each.key == "member-1" ? "1" : "2"
  }
}

resource "fleet_crp" "crp" {
  name = "crp"

  resource_selectors = [
    {
      group   = ""
      kind    = "Namespace"
      name    = "critical"
      version = "v1"
    }
  ]

  policy = {
    placement_type     = "PickN"
    number_of_clusters = 3
    affinity = {
      cluster_affinity = {
        preferred_during_scheduling_ignored_during_execution = [
          {
            weight = 20
            preference = {
              label_selector = {
                match_labels = {
                  critical-level = 1
                }
              }
            }
          }
        ]
        required_during_scheduling_ignored_during_execution = {
          cluster_selector_terms = [
            {
              label_selector = {
                match_labels = {
                  critical-allowed = "true"
                }
              }
            }
          ]
        }
      }
    }
  }

  depends_on = [fleet_member_cluster.member]
}
