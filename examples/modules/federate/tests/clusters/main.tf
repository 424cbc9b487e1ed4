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
  type    = list(string)
  default = ["member-1"]
}

provider "fleet" {
  applying = terraform.applying
  engine   = "direct"

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

module "federate" {
  source = "../.."

  cluster  = fleet_member_cluster.member["member-1"].name
  clusters = [for name in var.clusters : fleet_member_cluster.member[name].name]
  workload = { namespace = "module-federate", name = "web" }
}

# Terraform plans the placement first, so the preview is that of the plan.
data "fleet_placement_preview" "federate" {
  name = module.federate.name
}

output "status" {
  value = "${module.federate.phase}${module.federate.problems}"
}

output "restart" {
  value = module.federate.restart
}

output "actions" {
  value = { for name, cluster in data.fleet_placement_preview.federate.clusters : name => distinct(cluster.objects[*].action) if cluster.picked }
}
