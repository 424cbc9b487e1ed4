output "manifests" {
  description = "The placed manifests, by key."
  value       = local.manifests
}

output "name" {
  description = "Name of the placement, for a fleet_placement_preview. With the engine kubefleet, the preview also needs the namespace of the workload."
  value       = one(concat(fleet_crp.this[*].name, fleet_resource_placement.this[*].name))
}

output "objects" {
  description = "The workload and its related objects. If an object is left out, such as a Secret, its left_out has the reason."
  value       = fleet_workload.this.objects
}

output "restart" {
  description = "Whether the hand-over restarts Pods on var.cluster: none, rollout, later or unknown. For other clusters, see the plan of the placement."
  value       = fleet_workload.this.restart
}

output "phase" {
  description = "The phase on the cluster where the placement is furthest from complete."
  value       = one(concat(fleet_crp.this[*].phase, fleet_resource_placement.this[*].phase))
}

output "problems" {
  description = "The objects and clusters with a problem, in one line. Empty if there is none."
  value       = one(concat(fleet_crp.this[*].problems, fleet_resource_placement.this[*].problems))
}
