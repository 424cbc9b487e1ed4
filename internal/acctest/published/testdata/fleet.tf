terraform {
  required_providers {
    fleet = { source = "terraform-fleet/fleet" }
  }
}

variable "kubeconfig" { type = string }
variable "engine" { type = string }

variable "when_to_take_over" {
  type    = string
  default = "Never"
}

variable "clusters" {
  type    = list(string)
  default = ["member-1", "member-2"]
}

variable "number_of_clusters" {
  type    = number
  default = 3
}

variable "broken" {
  type    = string
  default = "-1"
}

# Taints by the name of their member.
variable "taints" {
  type    = map(list(object({ key = string, value = string, effect = string })))
  default = {}
}

variable "tolerations" {
  type    = list(object({ key = string, value = string, effect = string, operator = string }))
  default = []
}

variable "cpu" {
  type    = string
  default = "1"
}

locals {
  members = {
    member-1 = { environment = "production", critical-level = "1", region = "east", updateDay = "monday" }
    member-2 = { environment = "production", critical-level = "2", region = "west", updateDay = "monday" }
    member-3 = { environment = "staging", critical-level = "2", region = "west", updateDay = "tuesday" }
  }
}

provider "fleet" {
  engine  = var.engine
  hub     = { config_path = var.kubeconfig, config_context = "hub" }
  members = { for name, labels in local.members : name => { config_path = var.kubeconfig, config_context = name } }
}

resource "fleet_member_cluster" "member" {
  for_each = local.members

  name   = each.key
  labels = merge(each.value, { critical-allowed = "true" })
  taints = lookup(var.taints, each.key, [])
}
