# At most 100 runs, with the progress of each.
list "fleet_staged_update_run" "all" {
  provider         = fleet
  include_resource = true
  limit            = 100
}
