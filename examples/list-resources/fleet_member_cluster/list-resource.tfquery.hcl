# terraform query -generate-config-out=members.tf
# The members of the fleet in Europe, including those that Azure created.
list "fleet_member_cluster" "europe" {
  provider = fleet
  config {
    label_selector = "fleet.azure.com/location in (westeurope, northeurope)"
  }
}
