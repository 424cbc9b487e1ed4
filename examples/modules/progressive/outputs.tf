output "phases" {
  description = "The phase of each placement, by its name. Its keys are the names for a fleet_placement_preview."
  value       = { for placement in concat(fleet_crp.canary, fleet_crp.others, fleet_crp.staged) : placement.name => placement.phase }
}

output "problems" {
  description = "The objects and clusters with a problem, by placement. Empty if there is none."
  value       = { for placement in concat(fleet_crp.canary, fleet_crp.others, fleet_crp.staged) : placement.name => placement.problems if placement.problems != "" }
}

output "stages" {
  description = "The progress of the run. Empty with the engine direct."
  value       = flatten(fleet_staged_update_run.this[*].status.stages)
}
