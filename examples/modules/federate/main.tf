# Copies the running workload once. Later changes on the member do not change the copy. This resource writes nothing to the member.
resource "fleet_workload" "this" {
  cluster   = var.cluster
  group     = var.workload.group
  version   = var.workload.version
  kind      = var.workload.kind
  namespace = var.workload.namespace
  name      = var.workload.name

  include_related = var.include_related

  # A KubeAdmiral host cluster stores the placed objects, with the defaults of its own API server.
  through_hub = var.engine == "kubeadmiral"
}

locals {
  name      = coalesce(var.name, "${var.workload.namespace}-${var.workload.name}")
  on_hub    = var.engine == "kubefleet"
  manifests = merge({ for key, text in fleet_workload.this.manifests : key => text if !contains(var.leave_out, key) }, var.manifests)

  policy = concat(var.policy[*], [{
    placement_type = "PickFixed"
    cluster_names  = coalesce(var.clusters, [var.cluster])
  }])[0]

  # A hub of KubeFleet does not record which objects are pre-existing, so all objects remain by default when the module is destroyed.
  strategy = {
    apply_strategy  = { when_to_take_over = var.when_to_take_over }
    delete_strategy = { propagation_policy = var.propagation_policy != null ? var.propagation_policy : local.on_hub ? "Abandon" : null }
  }
}

resource "fleet_crp" "this" {
  count = local.on_hub ? 0 : 1

  name      = local.name
  manifests = local.manifests
  policy    = local.policy
  strategy  = local.strategy
  wait      = var.wait
  timeouts  = var.timeouts
}

# A hub of KubeFleet places objects that are on the hub. The workload must not run there, so an envelope carries it. The envelope and the placement are in
# the workload's namespace, which must exist on the hub. The placement does not include the namespace, so the namespaces on the members keep their owners.
resource "fleet_envelope_configmap" "this" {
  count = local.on_hub ? 1 : 0

  name        = local.name
  namespace   = var.workload.namespace
  wire_format = "ResourceEnvelope"
  manifests   = local.manifests
}

resource "fleet_resource_placement" "this" {
  count = local.on_hub ? 1 : 0

  name      = local.name
  namespace = var.workload.namespace
  policy    = local.policy
  strategy  = local.strategy
  wait      = var.wait
  timeouts  = var.timeouts

  resource_selectors = [{
    group   = "placement.kubernetes-fleet.io"
    version = "v1beta1"
    kind    = "ResourceEnvelope"
    name    = fleet_envelope_configmap.this[0].name
  }]
}
