# The envelopes of a namespace. Terraform writes no configuration of manifests, which are sensitive.
list "fleet_envelope_configmap" "web" {
  provider = fleet
  config {
    namespace = "web"
  }
}
