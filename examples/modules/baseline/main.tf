locals {
  namespaces = {
    for name, settings in var.namespaces : "namespace.${name}.yaml" => yamlencode({
      apiVersion = "v1"
      kind       = "Namespace"
      metadata   = { name = name, labels = settings.labels }
    })
  }

  quotas = {
    for name, settings in var.namespaces : "quota.${name}.yaml" => yamlencode({
      apiVersion = "v1"
      kind       = "ResourceQuota"
      metadata   = { name = var.name, namespace = name }
      spec       = { hard = settings.quota }
    }) if length(settings.quota) > 0
  }

  # Containers without requests and limits of their own. A quota of CPU or memory rejects Pods that have none.
  limits = {
    for name, settings in var.namespaces : "limits.${name}.yaml" => yamlencode({
      apiVersion = "v1"
      kind       = "LimitRange"
      metadata   = { name = var.name, namespace = name }
      spec       = { limits = [{ type = "Container", default = settings.limits, defaultRequest = settings.requests }] }
    }) if length(settings.limits) + length(settings.requests) > 0
  }

  # Pods of a namespace reach each other. Other Pods reach them only through additional NetworkPolicies.
  network_policies = {
    for name, settings in var.namespaces : "network-policy.${name}.yaml" => yamlencode({
      apiVersion = "networking.k8s.io/v1"
      kind       = "NetworkPolicy"
      metadata   = { name = var.name, namespace = name }
      spec       = { podSelector = {}, policyTypes = ["Ingress"], ingress = [{ from = [{ podSelector = {} }] }] }
    }) if settings.isolated
  }

  manifests = merge(local.namespaces, local.quotas, local.limits, local.network_policies, var.manifests)
}

resource "fleet_crp" "this" {
  name      = var.name
  manifests = local.manifests

  # Every member, including those with taints.
  policy = {
    placement_type = "PickAll"
    tolerations    = [{ operator = "Exists" }]
  }

  strategy = {
    apply_strategy = { when_to_take_over = var.when_to_take_over }
  }

  wait     = var.wait
  timeouts = var.timeouts
}
