import {
  to = fleet_workload.web
  identity = {
    cluster   = "member-1"
    group     = "apps"
    version   = "v1"
    kind      = "Deployment"
    namespace = "shop"
    name      = "web"
  }
}
