resource "fleet_crp" "fixed" {
  name               = "crp-2"
  policy             = { placement_type = "PickFixed", cluster_names = var.clusters }
  resource_selectors = [{ group = "", kind = "Namespace", name = "test-deployment", version = "v1" }]
  depends_on         = [fleet_member_cluster.member]
}
