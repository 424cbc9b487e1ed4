import {
  to = fleet_resource_override.web
  identity = {
    namespace = "override-web"
    name      = "web"
  }
}
