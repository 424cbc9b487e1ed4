import {
  to = fleet_staged_update_strategy.by_ring
  identity = {
    name = "by-ring"
  }
}
