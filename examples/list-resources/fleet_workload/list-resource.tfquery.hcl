# terraform query -generate-config-out=workloads.tf
# The unmanaged workloads in this namespace of two members.
list "fleet_workload" "shop" {
  provider = fleet
  config {
    clusters  = ["member-1", "member-2"]
    namespace = "shop"
  }
}
