locals {
  placements = {
    app = fleet_crp.app, broken = fleet_crp.broken, crp-1 = fleet_crp.all, crp-2 = fleet_crp.fixed, affinity = fleet_crp.affinity,
    spread = fleet_crp.spread, rolling = fleet_crp.rolling, status = fleet_crp.status, web-2-crp = fleet_crp.web_2,
  }
}

data "fleet_crp" "whole" {
  for_each = toset(["app", "broken", "crp-1", "crp-2", "affinity", "spread", "rolling", "status", "web-2-crp"])

  name = each.key
  depends_on = [
    fleet_crp.app, fleet_crp.broken, fleet_crp.all, fleet_crp.fixed, fleet_crp.affinity, fleet_crp.spread, fleet_crp.rolling, fleet_crp.status,
    fleet_crp.web_2,
  ]
}

output "whole" {
  value = { for name, placement in data.fleet_crp.whole : name => placement.status }
}

output "statuses" {
  value = { for name, crp in local.placements : name => { phase = crp.phase, problems = crp.problems } }
}
