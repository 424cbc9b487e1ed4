# The workload as it runs, read once and kept: what somebody changes on the member later does not become what is placed. Nothing is written there.
resource "fleet_workload" "this" {
  cluster   = var.cluster
  group     = var.workload.group
  version   = var.workload.version
  kind      = var.workload.kind
  namespace = var.workload.namespace
  name      = var.workload.name

  include_related = var.include_related

  # A host of KubeAdmiral stores what it places, with the defaults of its own version.
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

  # A hub of KubeFleet does not tell what was there before from what it has made: there all of it stays, unless configured otherwise.
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

# A hub of KubeFleet places what is on the hub, where the workload must not run: an envelope carries it. It is in the workload's namespace, which
# the hub needs to have; the placement is in the namespace too, so that the namespaces of the members stay whose they are.
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
