# All overrides of cluster-scoped objects. Terraform writes no configuration for sensitive values in patches.
list "fleet_cluster_resource_override" "all" {
  provider = fleet
}
