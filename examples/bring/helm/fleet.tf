terraform {
  required_providers {
    fleet = { source = "terraform-fleet/fleet" }
  }
}

variable "kubeconfig" {
  type        = string
  description = "Path of a kubeconfig with the contexts member-1, member-2 and member-3."
}

locals {
  members = toset(["member-1", "member-2", "member-3"])
}

provider "fleet" {
  applying = terraform.applying
  members  = { for name in local.members : name => { config_path = var.kubeconfig, config_context = name } }
}

resource "fleet_member_cluster" "member" {
  for_each = local.members
  name     = each.key
}
