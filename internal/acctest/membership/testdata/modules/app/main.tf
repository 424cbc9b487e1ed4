# The workload of one team: everything that it needs on a cluster, under one name.

terraform {
  required_providers {
    fleet = { source = "terraform-fleet/fleet" }
  }
}

variable "name" {
  type = string
}

variable "image" {
  type = string
}

variable "color" {
  type = string
}

variable "clusters" {
  type        = list(string)
  description = "Null is all clusters."
}

variable "password" {
  type      = string
  sensitive = true
}

resource "fleet_crp" "this" {
  name   = var.name
  policy = var.clusters == null ? null : { placement_type = "PickFixed", cluster_names = var.clusters }

  manifests = {
    namespace = yamlencode({ apiVersion = "v1", kind = "Namespace", metadata = { name = var.name } })
    settings = yamlencode({
      apiVersion = "v1", kind = "ConfigMap", metadata = { name = "settings", namespace = var.name }, data = { color = var.color, title = "Welcome" }
    })
    templates = yamlencode({
      apiVersion = "v1", kind = "ConfigMap", metadata = { name = "templates", namespace = var.name }, data = { "mail.txt" = "Dear customer,\nthank you.\n" }
    })
    account = yamlencode({ apiVersion = "v1", kind = "ServiceAccount", metadata = { name = "web", namespace = var.name } })
    role = yamlencode({
      apiVersion = "rbac.authorization.k8s.io/v1", kind = "Role", metadata = { name = "web", namespace = var.name }
      rules = [{ apiGroups = [""], resources = ["configmaps"], verbs = ["get", "list", "watch"] }]
    })
    binding = yamlencode({
      apiVersion = "rbac.authorization.k8s.io/v1", kind = "RoleBinding", metadata = { name = "web", namespace = var.name }
      roleRef  = { apiGroup = "rbac.authorization.k8s.io", kind = "Role", name = "web" }
      subjects = [{ kind = "ServiceAccount", name = "web", namespace = var.name }]
    })
    deployment = yamlencode({
      apiVersion = "apps/v1", kind = "Deployment", metadata = { name = "web", namespace = var.name, labels = { app = var.name } }
      spec = {
        selector = { matchLabels = { app = var.name } }
        template = {
          metadata = { labels = { app = var.name } }
          spec = {
            serviceAccountName = "web"
            containers = [{
              name    = "web", image = var.image, ports = [{ containerPort = 8080 }]
              envFrom = [{ configMapRef = { name = "settings" } }, { secretRef = { name = "database" } }]
            }]
          }
        }
      }
    })
    service = yamlencode({
      apiVersion = "v1", kind = "Service", metadata = { name = "web", namespace = var.name }
      spec = { selector = { app = var.name }, ports = [{ port = 80, targetPort = 8080 }] }
    })
    autoscaler = yamlencode({
      apiVersion = "autoscaling/v2", kind = "HorizontalPodAutoscaler", metadata = { name = "web", namespace = var.name }
      spec = {
        scaleTargetRef = { apiVersion = "apps/v1", kind = "Deployment", name = "web" }, minReplicas = 1, maxReplicas = 5
        metrics = [{ type = "Resource", resource = { name = "cpu", target = { type = "Utilization", averageUtilization = 80 } } }]
      }
    })
    network = yamlencode({
      apiVersion = "networking.k8s.io/v1", kind = "NetworkPolicy", metadata = { name = "web", namespace = var.name }
      spec = { podSelector = { matchLabels = { app = var.name } }, policyTypes = ["Ingress"], ingress = [{ ports = [{ port = 8080 }] }] }
    })
    ingress = yamlencode({
      apiVersion = "networking.k8s.io/v1", kind = "Ingress", metadata = { name = "web", namespace = var.name }
      spec = {
        rules = [{ host = "${var.name}.example.com", http = { paths = [{
          path = "/", pathType = "Prefix", backend = { service = { name = "web", port = { number = 80 } } }
        }] } }]
      }
    })
  }
  manifests_wo = {
    database = yamlencode({
      apiVersion = "v1", kind = "Secret", metadata = { name = "database", namespace = var.name }, stringData = { password = var.password }
    })
  }
}
