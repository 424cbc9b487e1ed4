# A project after a year: the workloads of two teams, rendered manifests, and the platform's objects. Eight placements have 154 objects on three clusters.

locals {
  teams = {
    billing = { clusters = ["member-1"], image = "registry.example.com/billing:1.0", color = "grey" }
    shop    = { clusters = null, image = var.image, color = var.color }
  }
}

module "app" {
  source     = "../modules/app"
  for_each   = local.teams
  name       = each.key
  clusters   = each.value.clusters
  image      = each.value.image
  color      = each.value.color
  password   = "PL4NT-${each.key}"
  depends_on = [fleet_member_cluster.member]
}

# The output of another program: many objects of one kind.
resource "fleet_crp" "catalog" {
  name   = "catalog"
  policy = { placement_type = "PickFixed", cluster_names = ["member-2"] }
  manifests = merge(
    { namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: catalog}}" },
    { for i in range(60) : "product-${i}" => yamlencode({
      apiVersion = "v1", kind = "ConfigMap", metadata = { name = format("product-%02d", i), namespace = "catalog" }
      data       = { "product.yaml" = "name: Product ${i}\nprice: ${i * 10}\n" }
    }) },
  )
  depends_on = [fleet_member_cluster.member]
}

locals {
  namespaces = { for name in ["ingress", "limits", "metrics", "notices", "widgets"] :
    name => yamlencode({ apiVersion = "v1", kind = "Namespace", metadata = { name = name } })
  }
  platform = {
    ingress = {
      account = yamlencode({ apiVersion = "v1", kind = "ServiceAccount", metadata = { name = "controller", namespace = "ingress" } })
      deployment = yamlencode({
        apiVersion = "apps/v1", kind = "Deployment", metadata = { name = "controller", namespace = "ingress" }
        spec = {
          selector = { matchLabels = { app = "controller" } }
          template = {
            metadata = { labels = { app = "controller" } }
            spec     = { serviceAccountName = "controller", containers = [{ name = "controller", image = "registry.example.com/ingress:1.0" }] }
          }
        }
      })
      service = yamlencode({
        apiVersion = "v1", kind = "Service", metadata = { name = "controller", namespace = "ingress" }
        spec = { selector = { app = "controller" }, ports = [{ port = 443 }] }
      })
    }
    metrics = {
      account = yamlencode({ apiVersion = "v1", kind = "ServiceAccount", metadata = { name = "agent", namespace = "metrics" } })
      agent = yamlencode({
        apiVersion = "apps/v1", kind = "DaemonSet", metadata = { name = "agent", namespace = "metrics" }
        spec = {
          selector = { matchLabels = { app = "agent" } }
          template = {
            metadata = { labels = { app = "agent" } }
            spec     = { serviceAccountName = "agent", containers = [{ name = "agent", image = "registry.example.com/agent:1.0" }] }
          }
        }
      })
    }
    widgets = {
      definition = yamlencode({
        apiVersion = "apiextensions.k8s.io/v1", kind = "CustomResourceDefinition", metadata = { name = "widgets.example.com" }
        spec = {
          group = "example.com", scope = "Namespaced", names = { kind = "Widget", plural = "widgets", singular = "widget" }
          versions = [{ name = "v1", served = true, storage = true, schema = { openAPIV3Schema = {
            type = "object", "x-kubernetes-preserve-unknown-fields" = true
          } } }]
        }
      })
      large = yamlencode({ apiVersion = "example.com/v1", kind = "Widget", metadata = { name = "large", namespace = "widgets" }, spec = { size = 9 } })
      small = yamlencode({ apiVersion = "example.com/v1", kind = "Widget", metadata = { name = "small", namespace = "widgets" }, spec = { size = 1 } })
    }
  }
}

resource "fleet_crp" "platform" {
  for_each   = local.platform
  name       = each.key
  manifests  = merge({ namespace = local.namespaces[each.key] }, each.value)
  depends_on = [fleet_member_cluster.member]
}

resource "fleet_crp" "limits" {
  name = "limits"
  manifests = {
    namespace = local.namespaces.limits
    range = yamlencode({
      apiVersion = "v1", kind = "LimitRange", metadata = { name = "containers", namespace = "limits" }
      spec = { limits = [{ type = "Container", defaultRequest = { cpu = "100m" } }] }
    })
  }
  depends_on = [fleet_member_cluster.member]
}

resource "fleet_crp" "notices" {
  name = "notices"
  manifests = {
    namespace = local.namespaces.notices
    maintenance = yamlencode({
      apiVersion = "v1", kind = "ConfigMap", metadata = { name = "maintenance", namespace = "notices" }, data = { text = "none planned" }
    })
  }
  depends_on = [fleet_member_cluster.member]
}
