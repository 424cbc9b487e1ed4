# terraform apply -invoke=action.fleet_eviction.web_from_east_1
action "fleet_eviction" "web_from_east_1" {
  config {
    placement_name = "web"
    cluster_name   = "east-1"
  }
}
