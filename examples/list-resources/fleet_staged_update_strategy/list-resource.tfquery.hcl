# terraform query -generate-config-out=strategies.tf
# All strategies, cluster-scoped and namespaced.
list "fleet_staged_update_strategy" "all" {
  provider = fleet
}
