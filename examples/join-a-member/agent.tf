# The member's side of a new member. KubeFleet's Helm chart installs the agent, which reads its token from a Secret.

terraform {
  required_providers {
    helm = {
      source  = "hashicorp/helm"
      version = ">= 3.0"
    }
    kubernetes = {
      source  = "hashicorp/kubernetes"
      version = ">= 2.37"
    }
  }
}

provider "kubernetes" {
  config_path    = var.kubeconfig
  config_context = "member-1"
}

provider "helm" {
  kubernetes = {
    config_path    = var.kubeconfig
    config_context = "member-1"
  }
}

# Change the value to give the agent a new token. The agent always needs a valid token: apply with another value before the old token expires.
variable "token_revision" {
  type    = number
  default = 1
}

resource "kubernetes_secret_v1" "hub_token" {
  metadata {
    name      = "hub-kubeconfig-secret"
    namespace = "default"
  }

  data_wo = {
    token = ephemeral.fleet_member_token.member_1.token
  }
  data_wo_revision = var.token_revision
}

resource "helm_release" "member_agent" {
  name             = "member-agent"
  repository       = "oci://ghcr.io/kubefleet-dev/kubefleet/charts"
  chart            = "member-agent"
  namespace        = "fleet-system"
  create_namespace = true

  set = [
    { name = "config.memberClusterName", value = fleet_member_cluster.member_1.name },
    { name = "secret.name", value = kubernetes_secret_v1.hub_token.metadata[0].name },
    { name = "secret.namespace", value = kubernetes_secret_v1.hub_token.metadata[0].namespace },
  ]

  # Values of an ephemeral resource are allowed only in write-only arguments.
  set_wo = [
    { name = "config.hubURL", value = ephemeral.fleet_member_token.member_1.hub_url },
    { name = "config.hubCA", value = ephemeral.fleet_member_token.member_1.hub_ca },
  ]
  set_wo_revision = var.token_revision
}
