# The Deployment my-nginx and its Service run on member-1 and were created by hand. One apply hands them over to a placement, and no Pod restarts. A
# different my-nginx, with another image, runs on member-2.

terraform {
  required_providers {
    fleet = {
      source = "terraform-fleet/fleet"
    }
  }
}

variable "kubeconfig" {
  type        = string
  description = "Path of a kubeconfig with the contexts member-1, member-2 and member-3."
}

variable "clusters" {
  type        = list(string)
  description = "The members to place on."
  default     = ["member-1"]
}

variable "when_to_take_over" {
  type        = string
  description = "Always, IfNoDiff or Never."
  default     = "IfNoDiff"
}

provider "fleet" {
  applying = terraform.applying

  members = {
    for name in ["member-1", "member-2", "member-3"] : name => {
      config_path    = var.kubeconfig
      config_context = name
    }
  }
}

resource "fleet_member_cluster" "member" {
  for_each = toset(["member-1", "member-2", "member-3"])

  name = each.key
}

module "my_nginx" {
  source = "../modules/federate"

  name              = "my-nginx"
  cluster           = fleet_member_cluster.member["member-1"].name
  workload          = { namespace = "my-nginx", name = "my-nginx" }
  clusters          = [for name in var.clusters : fleet_member_cluster.member[name].name]
  when_to_take_over = var.when_to_take_over
}
