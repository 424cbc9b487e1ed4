# The envelopes of a namespace. Terraform writes no configuration for the manifests, because they are sensitive.
list "fleet_envelope_configmap" "web" {
  provider = fleet
  config {
    namespace = "web"
  }
}
