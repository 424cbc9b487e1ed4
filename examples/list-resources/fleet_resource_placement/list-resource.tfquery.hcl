# terraform query -generate-config-out=placements.tf
# The placements of a namespace, with all that the state of each would have.
list "fleet_resource_placement" "web" {
  provider         = fleet
  include_resource = true
  config {
    namespace = "web"
  }
}
