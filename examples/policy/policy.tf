# The policies, as values: each is the list of violations. check blocks warn about them, and preconditions of an output fail the plan.

variable "enforce" {
  type        = bool
  description = "Whether a violation fails the plan. Set it to false for a change that was approved: the checks still warn."
  default     = true
}

variable "at" {
  type        = string
  description = "The time of the change, such as 2026-01-31T12:30:00Z. The default is the time of the plan."
  default     = null
}

variable "no_restarts" {
  type = object({
    from = number
    to   = number
  })
  description = "The hours (UTC) between which no Pod in production restarts: from 11:00, until 14:00."
  default     = { from = 11, to = 14 }
}

variable "own_placements" {
  type        = set(string)
  description = "The placements of the team, which may hand objects over to each other."
  default     = ["policy-shop"]
}

locals {
  objects = flatten([
    for cluster, preview in data.fleet_placement_preview.shop.clusters : [
      for object in preview.objects : merge(object, {
        # A cluster without a known environment counts as production.
        production = lookup(local.environments, cluster, "production") == "production"
        owned_by   = try(object.owner.text, "")
        # Objects of kubectl and objects without an owner may be taken over.
        of_others = !contains(["none", "kubectl"], try(object.owner.kind, "none"))
        text      = "${object.kind} ${trimprefix("${object.namespace}/${object.name}", "/")} on ${cluster}"
      })
    ]
  ])

  hour = tonumber(formatdate("h", coalesce(var.at, plantimestamp())))
  busy = var.no_restarts.from <= local.hour && local.hour < var.no_restarts.to

  deletions = [for object in local.objects : "The apply deletes ${object.text}, in production." if object.production && contains(["prune", "replace"], object.action)]

  # "unknown" means that the write could not be dry-run, so it may restart Pods.
  restarts = [
    for object in local.objects : "The apply restarts Pods of ${object.text}, in production and between ${var.no_restarts.from}:00 and ${var.no_restarts.to}:00 UTC."
    if object.production && local.busy && contains(["rollout", "unknown"], object.restart)
  ]

  takeovers = concat(
    [for object in local.objects : "The apply takes over ${object.text} from ${object.owned_by}." if object.action == "take_over" && object.of_others],
    [for object in local.objects : "The apply takes over ${object.text} from the placement ${object.from}." if object.action == "take_over_from" && !contains(var.own_placements, object.from)],
  )

  violations = concat(local.deletions, local.restarts, local.takeovers)
}

check "no_deletion_in_production" {
  assert {
    condition     = length(local.deletions) == 0
    error_message = join("\n", local.deletions)
  }
}

check "no_restart_at_noon" {
  assert {
    condition     = length(local.restarts) == 0
    error_message = join("\n", local.restarts)
  }
}

check "no_takeover_from_others" {
  assert {
    condition     = length(local.takeovers) == 0
    error_message = join("\n", local.takeovers)
  }
}

# A failed precondition is an error, so there is no plan to apply. The placement itself cannot have the precondition, because the preview depends on it.
output "violations" {
  description = "The violations of the policies."
  value       = local.violations

  precondition {
    condition     = !var.enforce || length(local.violations) == 0
    error_message = join("\n", local.violations)
  }
}
