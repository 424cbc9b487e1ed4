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
  for_each = {
    member-1 = { ring = "canary", region = "east" }
    member-2 = { ring = "production", region = "east" }
    member-3 = { ring = "production", region = "west" }
  }

  name   = each.key
  labels = each.value
}

module "baseline" {
  source = "../.."

  namespaces = {
    module-baseline = { quota = { "limits.memory" = "8Gi", "requests.cpu" = "4" }, requests = { cpu = "100m" }, limits = { memory = "256Mi" } }
  }

  depends_on = [fleet_member_cluster.member]
}

# Terraform plans the placement first, so the preview is that of the plan.
data "fleet_placement_preview" "baseline" {
  name = module.baseline.name
}

output "status" {
  value = "${module.baseline.phase}${module.baseline.problems}"
}

output "actions" {
  value = { for name, cluster in data.fleet_placement_preview.baseline.clusters : name => distinct(cluster.objects[*].action) }
}
