# The complete status of a placement. Another configuration can have created it.
data "fleet_crp" "web" {
  name = "web"
}

output "not_applied" {
  value = {
    for name, cluster in data.fleet_crp.web.status.placement_statuses : name => [
      for failed in cluster.failed_placements : "${failed.kind} ${failed.name}: ${failed.condition.message}"
    ] if length(cluster.failed_placements) > 0
  }
}

# Terraform waits until the condition is True, and warns after the timeout.
check "available" {
  data "fleet_crp" "shop" {
    name     = "shop"
    wait_for = { condition = "Available", timeout = "5m" }
  }

  assert {
    condition     = try(data.fleet_crp.shop.status.conditions["ClusterResourcePlacementAvailable"].status, "") == "True"
    error_message = "The shop is not available on all clusters."
  }
}
