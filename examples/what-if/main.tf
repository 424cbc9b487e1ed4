# What happens if a member fails? The previews assume that each member in turn is lost, and nothing is changed. The check fails if a loss leaves the workload
# on fewer than two members that respond.

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

variable "state" {
  type        = string
  description = "What is assumed about the lost member: Unreachable or Gone."
  default     = "Unreachable"
}

locals {
  members = ["member-1", "member-2", "member-3"]
}

provider "fleet" {
  applying = terraform.applying

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

resource "fleet_crp" "shop" {
  name = "what-if-shop"

  policy = {
    placement_type     = "PickN"
    number_of_clusters = 2
  }

  manifests = {
    "shop.yaml" = <<-YAML
      apiVersion: v1
      kind: Namespace
      metadata:
        name: what-if-shop
      ---
      apiVersion: v1
      kind: ConfigMap
      metadata:
        name: settings
        namespace: what-if-shop
      data:
        currency: EUR
    YAML
  }

  depends_on = [fleet_member_cluster.member]
}

# Through a local value, Terraform plans the placement first and reads the previews in the same plan.
locals {
  shop = fleet_crp.shop.name
}

data "fleet_placement_preview" "without" {
  for_each = toset(local.members)

  name   = local.shop
  assume = { (each.key) = { state = var.state } }
}

locals {
  # The members that would have the workload and respond, by the name of the lost member.
  remaining = {
    for lost, preview in data.fleet_placement_preview.without : lost => [
      for name, cluster in preview.clusters : name if cluster.picked && cluster.error == ""
    ]
  }
}

check "loss_of_a_member" {
  assert {
    condition = alltrue([for remaining in values(local.remaining) : length(remaining) >= 2])
    error_message = join("\n", [
      for lost, remaining in local.remaining : "Without ${lost}, only ${join(", ", remaining)} has the workload and responds." if length(remaining) < 2
    ])
  }
}

# For reading on a terminal. A pipeline reads the report from the saved plan, because an output that changes makes the next plan show a change.
output "reports" {
  description = "What would happen without each member, as Markdown."
  value       = { for lost, preview in data.fleet_placement_preview.without : lost => preview.report }
}
