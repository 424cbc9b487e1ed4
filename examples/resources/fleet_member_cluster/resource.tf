resource "fleet_member_cluster" "member_1" {
  name = "member-1"

  labels = {
    environment = "production"
    region      = "eastus"
  }

  taints = [
    {
      key    = "maintenance"
      value  = "planned"
      effect = "NoSchedule"
    }
  ]
}
