# The overrides of objects in a namespace. Terraform writes no configuration of values in patches, which are sensitive.
list "fleet_resource_override" "web" {
  provider = fleet
  config {
    namespace = "web"
  }
}
