locals {
  on_hub    = <<-YAML
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web
      namespace: web-2
    spec:
      replicas: 3
  YAML
  on_member = <<-YAML
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web
      namespace: web-2
      labels:
        app.kubernetes.io/managed-by: Helm
      annotations:
        meta.helm.sh/release-name: web
        meta.helm.sh/release-namespace: web-2
    spec:
      replicas: 2
      revisionHistoryLimit: 10
  YAML

  web = provider::fleet::takeover_diff(local.on_hub, local.on_member, "PartialComparison")
}

# "Helm release web-2/web"
output "owner" {
  value = local.web.owner.text
}

# { "spec.replicas" = "2 becomes 3" }
output "overwritten" {
  value = { for d in local.web.differences : d.field => "${d.in_member} becomes ${d.in_hub}" }
}

# { Always = "take_over", IfNoDiff = "leave_alone", Never = "leave_alone" }
output "decisions" {
  value = { for mode, decision in local.web.decisions : mode => decision.action }
}
