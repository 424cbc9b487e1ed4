import {
  to = fleet_staged_update_run.web_3
  id = "web-3"
}
