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

output "phase" {
  description = "Where the placement stands: on the cluster on which it is furthest from complete."
  value       = one(concat(fleet_crp.this[*].phase, fleet_resource_placement.this[*].phase))
}

output "problems" {
  description = "The objects and clusters that are not as they are to be; empty if there is none."
  value       = one(concat(fleet_crp.this[*].problems, fleet_resource_placement.this[*].problems))
}
