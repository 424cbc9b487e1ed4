resource "fleet_crp" "all" {
  name = "crp-1"
  policy = {
    placement_type = "PickAll"
    affinity = { cluster_affinity = { required_during_scheduling_ignored_during_execution = { cluster_selector_terms = [
      { label_selector = { match_labels = { environment = "production" } } }
    ] } } }
  }
  resource_selectors = [{ group = "", kind = "Namespace", name = "prod-deployment", version = "v1" }]
  depends_on         = [fleet_member_cluster.member]
}
