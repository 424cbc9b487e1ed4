# The placement whose status is published.
resource "fleet_crp" "status" {
  name                   = "status"
  policy                 = { placement_type = "PickN", number_of_clusters = 2 }
  revision_history_limit = 10
  resource_selectors     = [{ group = "", kind = "Namespace", name = "test", version = "v1" }]
  depends_on             = [fleet_member_cluster.member]
}
