resource "fleet_envelope_configmap" "quota" {
  name      = "envelope-configmap"
  namespace = "app"
  manifests = provider::fleet::manifests(file("reserved.yaml"))
}
