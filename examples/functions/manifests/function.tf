resource "fleet_envelope_configmap" "quota" {
  name      = "envelope-configmap"
  namespace = "app"
  manifests = provider::fleet::manifests(file("reserved.yaml"))
}

# A rendered Helm chart, with the namespace of the release.
resource "fleet_crp" "shop" {
  name      = "shop"
  manifests = provider::fleet::manifests(file("rendered.yaml"), "shop")
}
