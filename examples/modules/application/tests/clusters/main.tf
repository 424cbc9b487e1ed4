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

variable "regions" {
  type    = any
  default = { east = { replicas = 2 } }
}

module "application" {
  source = "../.."

  name     = "application"
  workload = { namespace = "module-application", name = "web" }
  regions  = var.regions

  manifests = {
    "namespace.yaml" = "{apiVersion: v1, kind: Namespace, metadata: {name: module-application}}"
    "web.yaml"       = <<-YAML
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: web, namespace: module-application}
      spec:
        replicas: 1
        selector: {matchLabels: {app: web}}
        template:
          metadata: {labels: {app: web}}
          spec: {containers: [{name: web, image: "nginx:1.29"}]}
    YAML
  }

  depends_on = [fleet_member_cluster.member]
}

# Terraform plans the placement first, so the preview is that of the plan.
data "fleet_placement_preview" "application" {
  name             = module.application.name
  render_manifests = true
}

output "status" {
  value = "${module.application.phase}${module.application.problems}"
}

output "replicas" {
  value = {
    for cluster, manifests in data.fleet_placement_preview.application.rendered_manifests :
    cluster => one([for text in values(manifests) : yamldecode(text).spec.replicas if yamldecode(text).kind == "Deployment"])
  }
}

output "actions" {
  value = distinct(flatten([for cluster in data.fleet_placement_preview.application.clusters : cluster.objects[*].action]))
}
