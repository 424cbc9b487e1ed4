# A preview of a placement that does not exist yet, as data and as a report for a pull request. The workload web-3 already runs on member-2. The
# configuration writes only the registrations of the members.

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

# Through a local value, Terraform plans the members first and reads the preview in the same plan. With depends_on or a direct reference, Terraform would
# read the preview only during the apply whenever a member changes.
locals {
  registered = [for member in fleet_member_cluster.member : member.name]
}

data "fleet_placement_preview" "web_3" {
  name = "web-3-crp"

  resource_selectors = [
    {
      group   = ""
      kind    = "Namespace"
      version = "v1"
      name    = "web-3"
    }
  ]

  strategy = {
    apply_strategy = {
      when_to_take_over = var.when_to_take_over
    }
  }

  # The members are planned first, so that the preview includes them.
  dependencies = local.registered
}

check "everything_is_taken_over" {
  assert {
    condition = alltrue([for object in data.fleet_placement_preview.web_3.conflicts : object.action == "take_over"])
    error_message = join("\n", [
      for object in data.fleet_placement_preview.web_3.conflicts :
      "${object.cluster}: ${object.kind} ${trimprefix("${object.namespace}/${object.name}", "/")} (${object.owner.text}): ${object.reason}" if object.action != "take_over"
    ])
  }
}

output "preview_report" {
  description = "What an apply of the placement would do, as Markdown."
  value       = data.fleet_placement_preview.web_3.report
}

output "overwritten" {
  description = "The fields that a takeover overwrites, by cluster and object."
  value = {
    for object in data.fleet_placement_preview.web_3.conflicts : "${object.cluster}: ${object.kind} ${object.name}" => {
      for difference in object.differences : difference.field => "${coalesce(difference.in_member, "absent")} becomes ${coalesce(difference.in_hub, "absent")}"
    } if object.action == "take_over" && length(object.differences) > 0
  }
}
