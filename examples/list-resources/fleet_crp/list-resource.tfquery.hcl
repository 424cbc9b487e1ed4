# terraform query -generate-config-out=placements.tf
# The placements of a team, including those that others created.
list "fleet_crp" "web" {
  provider = fleet
  config {
    label_selector = "team=web"
  }
}
