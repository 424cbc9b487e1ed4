# Takes over a pre-existing workload: web-2 runs on member-2 before the placement is created.
#
# Begin with when_to_take_over = "Never": the plan shows which clusters have the workload, and the apply does not change it there. Continue with "IfNoDiff",
# which takes over objects that do not differ. If the differences may be overwritten, use "Always" last.

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
  default     = "Never"
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

resource "fleet_crp" "web_2" {
  name = "web-2-crp"

  resource_selectors = [
    {
      group   = ""
      kind    = "Namespace"
      version = "v1"
      label_selector = {
        match_labels = {
          app = "web-2"
        }
      }
    }
  ]

  policy = {
    placement_type = "PickAll"
  }

  strategy = {
    apply_strategy = {
      when_to_take_over = var.when_to_take_over
      comparison_option = "partialComparison"
    }
    type = "RollingUpdate"
    rolling_update = {
      max_unavailable            = "100%"
      unavailable_period_seconds = 1
    }
  }

  depends_on = [fleet_member_cluster.member]
}
