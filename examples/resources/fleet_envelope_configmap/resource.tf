resource "fleet_envelope_configmap" "quota" {
  name      = "envelope-configmap"
  namespace = "app"

  manifests = {
    "resourceQuota.yaml" = <<-YAML
      apiVersion: v1
      kind: ResourceQuota
      metadata:
        name: mem-cpu-demo
        namespace: app
      spec:
        hard:
          requests.cpu: "1"
          requests.memory: 1Gi
    YAML
  }
}

# The placement that creates the objects in the envelope on the members.
resource "fleet_crp" "app" {
  name               = "app"
  resource_selectors = fleet_envelope_configmap.quota.resource_selectors
}
