# The published status of a failed envelope: the object's Namespace is not the envelope's, and no cluster has it.
resource "fleet_envelope_configmap" "elsewhere" {
  name      = "envelop-configmap"
  namespace = "test-ns"
  manifests = {
    "resourceQuota.yaml" = "{apiVersion: v1, kind: ResourceQuota, metadata: {name: mem-cpu-demo, namespace: app}, spec: {hard: {requests.cpu: '1'}}}"
  }
}

resource "fleet_crp" "elsewhere" {
  name               = "elsewhere"
  policy             = { cluster_names = ["member-1"], placement_type = "PickFixed" }
  resource_selectors = fleet_envelope_configmap.elsewhere.resource_selectors
  depends_on         = [fleet_member_cluster.member]
}
