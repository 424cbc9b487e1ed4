# The fleet of a project.

terraform {
  required_providers {
    fleet = { source = "terraform-fleet/fleet" }
  }
}

variable "kubeconfig" {
  type = string
}

variable "members" {
  type    = set(string)
  default = ["member-1", "member-2", "member-3"]
}

variable "image" {
  type    = string
  default = "registry.example.com/shop:1.0"
}

variable "color" {
  type    = string
  default = "blue"
}

provider "fleet" {
  engine  = "direct"
  members = { for name in var.members : name => { config_path = var.kubeconfig, config_context = name } }
}

resource "fleet_member_cluster" "member" {
  for_each = var.members
  name     = each.key
}
