output "name" {
  description = "Name of the placement, for a fleet_placement_preview."
  value       = fleet_crp.this.name
}

output "phase" {
  description = "The phase on the cluster where the placement is furthest from complete."
  value       = fleet_crp.this.phase
}

output "problems" {
  description = "The objects and clusters with a problem, in one line. Empty if there is none."
  value       = fleet_crp.this.problems
}
