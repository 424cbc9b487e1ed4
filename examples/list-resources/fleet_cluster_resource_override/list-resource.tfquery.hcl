# All overrides of cluster-scoped objects. Terraform writes no configuration of values in patches, which are sensitive.
list "fleet_cluster_resource_override" "all" {
  provider = fleet
}
