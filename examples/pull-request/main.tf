# A placement with its preview for a pull request. The workload web-5 already runs on member-2. report.sh writes the report and the page from a saved plan.

terraform {
  required_providers {
    fleet = {
      source = "terraform-fleet/fleet"
    }
  }
}

variable "kubeconfig" {
  type        = string
  description = "Path of a kubeconfig with the contexts hub, member-1, member-2 and member-3."
}

variable "when_to_take_over" {
  type        = string
  description = "Always, IfNoDiff or Never."
  default     = "IfNoDiff"
}

locals {
  members = ["member-1", "member-2", "member-3"]
}

provider "fleet" {
  applying = terraform.applying

  hub = {
    config_path    = var.kubeconfig
    config_context = "hub"
  }

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

resource "fleet_crp" "web_5" {
  name = "web-5-crp"

  resource_selectors = [
    {
      group   = ""
      kind    = "Namespace"
      version = "v1"
      name    = "web-5"
    }
  ]

  policy = {
    placement_type = "PickAll"
  }

  strategy = {
    apply_strategy = {
      when_to_take_over = var.when_to_take_over
    }
  }

  depends_on = [fleet_member_cluster.member]
}

# Through a local value, Terraform plans the placement first, and the data source shows that plan.
locals {
  placed = fleet_crp.web_5.name
}

data "fleet_placement_preview" "web_5" {
  name = local.placed
}
