import {
  to = fleet_disruption_budget.web
  id = "web"
}
