import {
  to = fleet_crp.web
  identity = {
    name = "web"
  }
}
