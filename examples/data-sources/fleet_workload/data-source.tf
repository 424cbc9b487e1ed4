data "fleet_workload" "web" {
  cluster   = "member-1"
  group     = "apps"
  version   = "v1"
  kind      = "Deployment"
  namespace = "shop"
  name      = "web"
}

output "restart" {
  value = data.fleet_workload.web.restart
}

# Objects that are not in the manifests and that other clusters need.
output "left_out" {
  value = { for o in data.fleet_workload.web.objects : "${o.kind} ${o.name}" => o.left_out if o.left_out != "" }
}
