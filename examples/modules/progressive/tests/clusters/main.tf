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

module "progressive" {
  source = "../.."

  name      = "progressive"
  manifests = { "settings.yaml" = "{apiVersion: v1, kind: ConfigMap, metadata: {name: progressive, namespace: default}, data: {color: blue}}" }

  depends_on = [fleet_member_cluster.member]
}

# Terraform plans the placements first, so the previews are those of the plan.
data "fleet_placement_preview" "progressive" {
  for_each = toset(keys(module.progressive.phases))

  name = each.key
}

output "phases" {
  value = module.progressive.phases
}

output "picked" {
  value = {
    for placement, preview in data.fleet_placement_preview.progressive :
    placement => join(" ", [for name, cluster in preview.clusters : name if cluster.picked])
  }
}

output "actions" {
  value = distinct(flatten([for preview in data.fleet_placement_preview.progressive : [for cluster in preview.clusters : cluster.objects[*].action]]))
}
