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
