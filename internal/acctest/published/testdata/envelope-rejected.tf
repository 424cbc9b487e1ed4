# An envelope with an object that every cluster rejects: the status names the object and its envelope.
resource "fleet_envelope_configmap" "broken" {
  name      = "envelop-configmap"
  namespace = "test-ns"
  manifests = {
    "resourceQuota.yaml" = "{apiVersion: v1, kind: ResourceQuota, metadata: {name: mem-cpu-demo, namespace: test-ns}, spec: {hard: {requests.cpu: '${var.broken}'}}}"
  }
}

resource "fleet_crp" "broken" {
  name               = "broken"
  policy             = { cluster_names = ["member-1"], placement_type = "PickFixed" }
  resource_selectors = fleet_envelope_configmap.broken.resource_selectors
  depends_on         = [fleet_member_cluster.member]
}
