# terraform query -generate-config-out=strategies.tf
# All strategies, in namespaces or not.
list "fleet_staged_update_strategy" "all" {
  provider = fleet
}
