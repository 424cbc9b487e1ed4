import {
  to = fleet_resource_placement.web
  id = "web/app"
}
