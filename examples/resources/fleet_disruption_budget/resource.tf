# The placement web, which asks for four clusters, may be evicted from one of them at a time.
resource "fleet_disruption_budget" "web" {
  placement_name  = fleet_crp.web.name
  max_unavailable = "25%"
}
