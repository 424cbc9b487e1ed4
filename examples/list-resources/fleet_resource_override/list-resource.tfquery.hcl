# The overrides of objects in a namespace. Terraform writes no configuration for sensitive values in patches.
list "fleet_resource_override" "web" {
  provider = fleet
  config {
    namespace = "web"
  }
}
