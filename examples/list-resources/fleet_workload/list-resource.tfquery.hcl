# terraform query -generate-config-out=workloads.tf
# What runs in these namespaces of two members, and nobody looks after.
list "fleet_workload" "shop" {
  provider = fleet
  config {
    clusters  = ["member-1", "member-2"]
    namespace = "shop"
  }
}
