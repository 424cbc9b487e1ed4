# An envelope places a resource quota and a webhook configuration on members. Neither must take effect on the hub.

terraform {
  required_providers {
    fleet = {
      source = "terraform-fleet/fleet"
    }
  }
}

variable "kubeconfig" {
  type        = string
  description = "Path of a kubeconfig with the contexts hub and member-1."
}

provider "fleet" {
  applying = terraform.applying

  hub = {
    config_path    = var.kubeconfig
    config_context = "hub"
  }

  members = {
    kind-cluster-1 = {
      config_path    = var.kubeconfig
      config_context = "member-1"
    }
  }
}

resource "fleet_member_cluster" "kind_cluster_1" {
  name = "kind-cluster-1"
}

resource "fleet_envelope_configmap" "app" {
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
          limits.cpu: "2"
          limits.memory: 2Gi
    YAML

    "webhook.yaml" = <<-YAML
      apiVersion: admissionregistration.k8s.io/v1
      kind: MutatingWebhookConfiguration
      metadata:
        creationTimestamp: null
        labels:
          azure-workload-identity.io/system: "true"
        name: azure-wi-webhook-mutating-webhook-configuration
      webhooks:
      - admissionReviewVersions:
        - v1
        - v1beta1
        clientConfig:
          service:
            name: azure-wi-webhook-webhook-service
            namespace: app
            path: /mutate-v1-pod
        failurePolicy: Fail
        matchPolicy: Equivalent
        name: mutation.azure-workload-identity.io
        rules:
        - apiGroups:
          - ""
          apiVersions:
          - v1
          operations:
          - CREATE
          - UPDATE
          resources:
          - pods
        sideEffects: None
    YAML
  }
}

resource "fleet_crp" "app" {
  name = "app"

  policy = {
    cluster_names  = ["kind-cluster-1"]
    placement_type = "PickFixed"
  }

  # Selects the namespace with the envelope and everything else in it. On a hub of KubeFleet, also the envelope of the cluster-scoped objects.
  resource_selectors = fleet_envelope_configmap.app.resource_selectors

  revision_history_limit = 10

  strategy = {
    type = "RollingUpdate"
  }

  depends_on = [fleet_member_cluster.kind_cluster_1]
}

# The complete status, with the envelope of each object.
data "fleet_crp" "app" {
  name = "app"

  depends_on = [fleet_crp.app]
}

output "selected_resources" {
  description = "The namespace and the envelope, without the objects in the envelope."
  value       = [for object in data.fleet_crp.app.status.selected_resources : "${object.kind} ${object.name}"]
}

output "enveloped" {
  description = "The objects in the envelope."
  value       = [for object in fleet_envelope_configmap.app.objects : "${object.kind} ${object.name}"]
}

output "failed_placements" {
  description = "The objects that could not be placed, each with its envelope."
  value       = data.fleet_crp.app.status.placement_statuses["kind-cluster-1"].failed_placements
}
