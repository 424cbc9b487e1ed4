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

# A member that Azure has made for its fleet: labels and taints are managed beside Azure, everything else is Azure's.
resource "fleet_member_cluster" "aks" {
  name           = "aks-west-1"
  adopt_existing = true
  labels         = { environment = "production" }
}
