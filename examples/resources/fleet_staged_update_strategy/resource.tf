# The canaries first. After one hour and an approval, the other clusters, a third of them at the same time.
resource "fleet_staged_update_strategy" "by_ring" {
  name = "by-ring"
  stages = [
    {
      name              = "canary"
      label_selector    = { match_labels = { ring = "canary" } }
      after_stage_tasks = [{ type = "TimedWait", wait_time = "1h" }, { type = "Approval" }]
    },
    {
      name              = "production"
      label_selector    = { match_labels = { ring = "production" } }
      sorting_label_key = "order"
      max_concurrency   = "33%"
    },
  ]
}
