data "fleet_object_owner" "web" {
  cluster   = "member-1"
  group     = "apps"
  version   = "v1"
  kind      = "Deployment"
  namespace = "shop"
  name      = "web"
}

output "owner" {
  value = data.fleet_object_owner.web.description
}

# Who wrote the number of replicas last?
output "replicas" {
  value = [for m in data.fleet_object_owner.web.managers : "${m.manager} at ${m.time}" if contains(m.fields, "spec.replicas")]
}
