import {
  to = fleet_disruption_budget.web
  identity = {
    name = "web"
  }
}
