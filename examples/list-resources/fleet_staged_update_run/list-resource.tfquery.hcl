# A hundred runs at most, and how far each has come.
list "fleet_staged_update_run" "all" {
  provider         = fleet
  include_resource = true
  limit            = 100
}
