# The workload already runs on member-2, with another number of replicas.
resource "fleet_crp" "web_2" {
  name = "web-2-crp"
  resource_selectors = [
    { group = "", kind = "Namespace", version = "v1", label_selector = { match_labels = { app = "web-2" } } }
  ]
  policy = { placement_type = "PickAll" }
  strategy = {
    apply_strategy = { when_to_take_over = var.when_to_take_over, comparison_option = "partialComparison" }
    type           = "RollingUpdate"
    rolling_update = { max_unavailable = "100%", unavailable_period_seconds = 1 }
  }
  depends_on = [fleet_member_cluster.member]
}
