# terraform query -generate-config-out=placements.tf
# The placements of a team, whoever has made them.
list "fleet_crp" "web" {
  provider = fleet
  config {
    label_selector = "team=web"
  }
}
