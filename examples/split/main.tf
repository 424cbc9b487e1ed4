# Splits a placement: the objects of the shop move to a placement of their own, and are neither deleted nor recreated.
#
# Run apply once. Then run plan with -var=split=true, check the plan, and run apply with the same argument.

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

variable "split" {
  type        = bool
  description = "Whether the shop has a placement of its own."
  default     = false
}

locals {
  members = ["member-1", "member-2", "member-3"]

  platform = {
    "platform.yaml" = <<-EOT
      apiVersion: v1
      kind: ConfigMap
      metadata:
        name: split-platform
        namespace: default
      data:
        region: eu
    EOT
  }

  shop = {
    "settings.yaml" = <<-EOT
      apiVersion: v1
      kind: ConfigMap
      metadata:
        name: split-shop
        namespace: default
      data:
        color: blue
    EOT
    "service.yaml"  = <<-EOT
      apiVersion: v1
      kind: Service
      metadata:
        name: split-shop
        namespace: default
      spec:
        selector:
          app: shop
        ports:
          - port: 80
    EOT
  }
}

provider "fleet" {
  applying = terraform.applying
  engine   = "direct"

  members = {
    for name in local.members : name => {
      config_path    = var.kubeconfig
      config_context = name
    }
  }
}

resource "fleet_member_cluster" "member" {
  for_each = toset(local.members)

  name = each.key
}

# The new placement takes over these objects from the existing placement.
resource "fleet_crp" "shop" {
  count = var.split ? 1 : 0

  name            = "split-shop"
  manifests       = local.shop
  takes_over_from = ["split-platform"]

  depends_on = [fleet_member_cluster.member]
}

# The existing placement depends on the new one, so that Terraform plans and applies the new one first.
resource "fleet_crp" "platform" {
  name      = "split-platform"
  manifests = var.split ? local.platform : merge(local.platform, local.shop)

  depends_on = [fleet_member_cluster.member, fleet_crp.shop]
}
