# terraform query -generate-config-out=placements.tf
# The placements of a namespace, each with all attributes of its resource.
list "fleet_resource_placement" "web" {
  provider         = fleet
  include_resource = true
  config {
    namespace = "web"
  }
}
