import {
  to = fleet_crp.web
  id = "web"
}
