import {
  to = fleet_staged_update_run.web_3
  identity = {
    name = "web-3"
  }
}
