import {
  to = fleet_resource_placement.web
  identity = {
    namespace = "web"
    name      = "app"
  }
}
