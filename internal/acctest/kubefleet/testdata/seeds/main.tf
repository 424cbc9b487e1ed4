# The placements of the published documents, one beside the other, as one engine or another runs them.

terraform {
  required_providers {
    fleet = { source = "terraform-fleet/fleet" }
  }
}

variable "kubeconfig" { type = string }
variable "engine" { type = string }

variable "when_to_take_over" {
  type    = string
  default = "Never"
}

variable "clusters" {
  type    = list(string)
  default = ["member-1", "member-2"]
}

variable "number_of_clusters" {
  type    = number
  default = 3
}

variable "broken" {
  type    = string
  default = "-1"
}

variable "cpu" {
  type    = string
  default = "1"
}

locals {
  members = {
    member-1 = { environment = "production", critical-level = "1", region = "east", updateDay = "monday" }
    member-2 = { environment = "production", critical-level = "2", region = "west", updateDay = "monday" }
    member-3 = { environment = "staging", critical-level = "2", region = "west", updateDay = "tuesday" }
  }
}

provider "fleet" {
  engine  = var.engine
  hub     = { config_path = var.kubeconfig, config_context = "hub" }
  members = { for name, labels in local.members : name => { config_path = var.kubeconfig, config_context = name } }
}

resource "fleet_member_cluster" "member" {
  for_each = local.members

  name   = each.key
  labels = merge(each.value, { critical-allowed = "true" })
}

# Reserved resources in an envelope.
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
          requests.cpu: "${var.cpu}"
          requests.memory: 1Gi
          limits.cpu: "2"
          limits.memory: 2Gi
    YAML
    "webhook.yaml"       = <<-YAML
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
        namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: app}}
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
  name                   = "app"
  policy                 = { cluster_names = ["member-1"], placement_type = "PickFixed" }
  resource_selectors     = fleet_envelope_configmap.app.resource_selectors
  revision_history_limit = 10
  strategy               = { type = "RollingUpdate" }
  depends_on             = [fleet_member_cluster.member]
}

# An envelope with what no cluster accepts, to begin with: it is told with the envelope that it came in.
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

resource "fleet_crp" "all" {
  name = "crp-1"
  policy = {
    placement_type = "PickAll"
    affinity = { cluster_affinity = { required_during_scheduling_ignored_during_execution = { cluster_selector_terms = [
      { label_selector = { match_labels = { environment = "production" } } }
    ] } } }
  }
  resource_selectors = [{ group = "", kind = "Namespace", name = "prod-deployment", version = "v1" }]
  depends_on         = [fleet_member_cluster.member]
}

resource "fleet_crp" "fixed" {
  name               = "crp-2"
  policy             = { placement_type = "PickFixed", cluster_names = var.clusters }
  resource_selectors = [{ group = "", kind = "Namespace", name = "test-deployment", version = "v1" }]
  depends_on         = [fleet_member_cluster.member]
}

resource "fleet_crp" "affinity" {
  name = "affinity"
  policy = {
    placement_type     = "PickN"
    number_of_clusters = var.number_of_clusters
    affinity = { cluster_affinity = {
      preferred_during_scheduling_ignored_during_execution = [
        { weight = 20, preference = { label_selector = { match_labels = { critical-level = 1 } } } }
      ]
      required_during_scheduling_ignored_during_execution = { cluster_selector_terms = [
        { label_selector = { match_labels = { critical-allowed = "true" } } }
      ] }
    } }
  }
  resource_selectors = [{ group = "", kind = "Namespace", name = "critical", version = "v1" }]
  depends_on         = [fleet_member_cluster.member]
}

resource "fleet_crp" "spread" {
  name = "spread"
  policy = {
    placement_type     = "PickN"
    number_of_clusters = 2
    topology_spread_constraints = [
      { max_skew = 2, topology_key = "region", when_unsatisfiable = "DoNotSchedule" },
      { max_skew = 2, topology_key = "updateDay", when_unsatisfiable = "ScheduleAnyway" },
    ]
  }
  resource_selectors = [{ group = "", kind = "Namespace", name = "spread", version = "v1" }]
  depends_on         = [fleet_member_cluster.member]
}

resource "fleet_crp" "rolling" {
  name               = "rolling"
  policy             = { placement_type = "PickAll" }
  strategy           = { type = "RollingUpdate", rolling_update = { max_unavailable = "25%", max_surge = "25%", unavailable_period_seconds = 60 } }
  resource_selectors = [{ group = "", kind = "Namespace", name = "rolling", version = "v1" }]
  depends_on         = [fleet_member_cluster.member]
}

# The one whose status the document prints.
resource "fleet_crp" "status" {
  name                   = "status"
  policy                 = { placement_type = "PickN", number_of_clusters = 2 }
  revision_history_limit = 10
  resource_selectors     = [{ group = "", kind = "Namespace", name = "test", version = "v1" }]
  depends_on             = [fleet_member_cluster.member]
}

# A workload that runs on member-2 already, with another number of replicas.
resource "fleet_crp" "web_2" {
  name = "web-2-crp"
  resource_selectors = [
    { group = "", kind = "Namespace", version = "v1", label_selector = { match_labels = { app = "web-2" } } }
  ]
  policy = { placement_type = "PickAll" }
  strategy = {
    apply_strategy = { when_to_take_over = var.when_to_take_over, comparison_option = "partialComparison" }
    type           = "RollingUpdate"
    rolling_update = { max_unavailable = "100%", unavailable_period_seconds = 1 }
  }
  depends_on = [fleet_member_cluster.member]
}

locals {
  placements = {
    app = fleet_crp.app, broken = fleet_crp.broken, crp-1 = fleet_crp.all, crp-2 = fleet_crp.fixed, affinity = fleet_crp.affinity,
    spread = fleet_crp.spread, rolling = fleet_crp.rolling, status = fleet_crp.status, web-2-crp = fleet_crp.web_2,
  }
}

data "fleet_crp" "whole" {
  for_each = toset(["app", "broken", "crp-1", "crp-2", "affinity", "spread", "rolling", "status", "web-2-crp"])

  name = each.key
  depends_on = [
    fleet_crp.app, fleet_crp.broken, fleet_crp.all, fleet_crp.fixed, fleet_crp.affinity, fleet_crp.spread, fleet_crp.rolling, fleet_crp.status,
    fleet_crp.web_2,
  ]
}

output "whole" {
  value = { for name, placement in data.fleet_crp.whole : name => placement.status }
}

output "statuses" {
  value = { for name, crp in local.placements : name => { phase = crp.phase, problems = crp.problems } }
}
