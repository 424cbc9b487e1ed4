import {
  to = fleet_resource_override.web
  id = "override-web/web"
}
