# The placement has strategy = { type = "External" }.
resource "fleet_staged_update_run" "web_3" {
  name                         = "web-3"
  placement_name               = fleet_crp.web.name
  staged_rollout_strategy_name = fleet_staged_update_strategy.by_ring.name
  state                        = "Run"
}
