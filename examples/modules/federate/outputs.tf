output "manifests" {
  description = "What is placed, by key."
  value       = local.manifests
}

output "objects" {
  description = "The workload and what belongs to it, with the reason of what could not be handed over, as of a Secret."
  value       = fleet_workload.this.objects
}

output "restart" {
  description = "Whether handing the workload over restarts its Pods on var.cluster: none, rollout, later or unknown. Of other clusters the plan tells."
  value       = fleet_workload.this.restart
}

output "status" {
  description = "What came of the placement."
  value       = one(concat(fleet_crp.this[*].status, fleet_resource_placement.this[*].status))
}
