# The placement web requests four clusters. It can be evicted from one of them at a time.
resource "fleet_disruption_budget" "web" {
  placement_name  = fleet_crp.web.name
  max_unavailable = "25%"
}
