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

# A member that Azure created for its fleet. This resource manages only the configured labels and taints; Azure manages everything else.
resource "fleet_member_cluster" "aks" {
  name           = "aks-west-1"
  adopt_existing = true
  labels         = { environment = "production" }
}
