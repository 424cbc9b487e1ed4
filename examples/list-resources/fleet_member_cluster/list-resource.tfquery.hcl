# terraform query -generate-config-out=members.tf
# The members of the fleet that are in Europe, those that Azure has made included.
list "fleet_member_cluster" "europe" {
  provider = fleet
  config {
    label_selector = "fleet.azure.com/location in (westeurope, northeurope)"
  }
}
