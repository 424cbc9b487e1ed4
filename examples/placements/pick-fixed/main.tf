# A placement of a namespace on clusters that it names.

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
    cluster1 = "member-1"
    cluster2 = "member-2"
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

resource "fleet_crp" "crp_2" {
  name = "crp-2"

  policy = {
    placement_type = "PickFixed"
    cluster_names = [
      "cluster1",
      "cluster2",
    ]
  }

  resource_selectors = [
    {
      group   = ""
      kind    = "Namespace"
      name    = "test-deployment"
      version = "v1"
    }
  ]

  depends_on = [fleet_member_cluster.member]
}
