resource "fleet_crp" "affinity" {
  name = "affinity"
  policy = {
    placement_type     = "PickN"
    number_of_clusters = var.number_of_clusters
    affinity = { cluster_affinity = {
      preferred_during_scheduling_ignored_during_execution = [
        { weight = 20, preference = { label_selector = { match_labels = { critical-level = 1 } } } }
      ]
      required_during_scheduling_ignored_during_execution = { cluster_selector_terms = [
        { label_selector = { match_labels = { critical-allowed = "true" } } }
      ] }
    } }
  }
  resource_selectors = [{ group = "", kind = "Namespace", name = "critical", version = "v1" }]
  depends_on         = [fleet_member_cluster.member]
}
