# A shop on a staging and two production members. The policies for it are in policy.tf (Terraform) and policy.rego (Rego).

terraform {
  required_version = ">= 1.11"

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

variable "image" {
  type        = string
  description = "Image of the shop. Another image restarts its Pods."
  default     = "nginx:1.29"
}

variable "settings" {
  type        = bool
  description = "Whether to place the settings. Without them, the apply deletes the ConfigMap on every member."
  default     = true
}

variable "when_to_take_over" {
  type        = string
  description = "Always, IfNoDiff or Never. The ConfigMap banner on member-3 belongs to a Helm release."
  default     = "Never"
}

locals {
  environments = {
    member-1 = "staging"
    member-2 = "production"
    member-3 = "production"
  }
}

# With preview = "Required", the plan fails if a member cannot be checked. A policy never passes because a member is unreachable.
provider "fleet" {
  applying = terraform.applying
  preview  = "Required"

  members = {
    for name in keys(local.environments) : name => {
      config_path    = var.kubeconfig
      config_context = name
    }
  }
}

resource "fleet_member_cluster" "member" {
  for_each = local.environments

  name   = each.key
  labels = { environment = each.value }
}

resource "fleet_crp" "shop" {
  name = "policy-shop"

  manifests = {
    "banner.yaml" = yamlencode({
      apiVersion = "v1"
      kind       = "ConfigMap"
      metadata   = { name = "policy-banner", namespace = "default" }
      data       = { text = "Welcome" }
    })
    "settings.yaml" = !var.settings ? null : yamlencode({
      apiVersion = "v1"
      kind       = "ConfigMap"
      metadata   = { name = "policy-settings", namespace = "default" }
      data       = { color = "blue" }
    })
    "shop.yaml" = yamlencode({
      apiVersion = "apps/v1"
      kind       = "Deployment"
      metadata   = { name = "policy-shop", namespace = "default" }
      spec = {
        replicas = 2
        selector = { matchLabels = { app = "policy-shop" } }
        template = {
          metadata = { labels = { app = "policy-shop" } }
          spec     = { containers = [{ name = "shop", image = var.image }] }
        }
      }
    })
  }

  strategy = {
    apply_strategy = { when_to_take_over = var.when_to_take_over }
    rolling_update = { max_unavailable = "100%" }
  }

  depends_on = [fleet_member_cluster.member]
}

# Through a local value, Terraform plans the placement first, and the data source shows that plan. With a direct reference, Terraform would read the data source
# only during the apply, and the policies could not fail the plan.
locals {
  placed = fleet_crp.shop.name
}

data "fleet_placement_preview" "shop" {
  name = local.placed
}
