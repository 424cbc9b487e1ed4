# A placement with different objects on some clusters: fewer replicas and no quota on the canary, and the name of the cluster in a label.

terraform {
  required_providers {
    fleet = {
      source = "terraform-fleet/fleet"
    }
  }
}

variable "kubeconfig" {
  type        = string
  description = "Path of a kubeconfig with the contexts hub, member-1, member-2 and member-3."
}

locals {
  # The context of the kubeconfig for each member, by the name of the member.
  members = {
    member-1 = "member-1"
    member-2 = "member-2"
    member-3 = "member-3"
  }
}

provider "fleet" {
  applying = terraform.applying

  hub = {
    config_path    = var.kubeconfig
    config_context = "hub"
  }

  members = {
    for name, context in local.members : name => {
      config_path    = var.kubeconfig
      config_context = context
    }
  }
}

resource "fleet_member_cluster" "member" {
  for_each = local.members

  name = each.key
  labels = {
    environment = each.key == "member-3" ? "canary" : "production"
  }
}

resource "fleet_resource_override" "web" {
  name      = "web"
  namespace = "override-web"

  # With the name of the placement, a hub of KubeFleet rolls out a change of the override immediately.
  placement = { name = "override-web" }

  resource_selectors = [
    {
      group   = "apps"
      version = "v1"
      kind    = "Deployment"
      name    = "web"
    }
  ]

  policy = {
    override_rules = [
      {
        cluster_selector = {
          cluster_selector_terms = [
            { label_selector = { match_labels = { environment = "canary" } } }
          ]
        }
        json_patch_overrides = [
          { op = "replace", path = "/spec/replicas", value = jsonencode(1) }
        ]
      }
    ]
  }
}

resource "fleet_cluster_resource_override" "namespace" {
  name      = "override-web"
  placement = { name = "override-web" }

  cluster_resource_selectors = [
    {
      group   = ""
      version = "v1"
      kind    = "Namespace"
      name    = "override-web"
    }
  ]

  policy = {
    override_rules = [
      {
        # Without terms, the rule applies to all clusters.
        cluster_selector = {
          cluster_selector_terms = []
        }
        json_patch_overrides = [
          {
            op    = "add"
            path  = "/metadata/labels/cluster"
            value = jsonencode("$${MEMBER-CLUSTER-NAME}")
          }
        ]
      }
    ]
  }
}

resource "fleet_resource_override" "no_quota" {
  name      = "no-quota"
  namespace = "override-web"
  placement = { name = "override-web" }

  resource_selectors = [
    {
      group   = ""
      version = "v1"
      kind    = "ConfigMap"
      name    = "limits"
    }
  ]

  policy = {
    override_rules = [
      {
        cluster_selector = {
          cluster_selector_terms = [
            { label_selector = { match_labels = { environment = "canary" } } }
          ]
        }
        override_type = "Delete"
      }
    ]
  }
}

resource "fleet_crp" "web" {
  name = "override-web"

  resource_selectors = [
    {
      group   = ""
      kind    = "Namespace"
      name    = "override-web"
      version = "v1"
    }
  ]

  strategy = {
    rolling_update = {
      max_unavailable = "100%"
    }
  }

  depends_on = [
    fleet_member_cluster.member,
    fleet_resource_override.web,
    fleet_resource_override.no_quota,
    fleet_cluster_resource_override.namespace,
  ]
}
