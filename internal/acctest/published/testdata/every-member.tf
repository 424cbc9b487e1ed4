resource "fleet_crp" "every" {
  name               = "every-member"
  policy             = { placement_type = "PickAll" }
  resource_selectors = [{ group = "", kind = "Namespace", name = "prod-deployment", version = "v1" }]
  depends_on         = [fleet_member_cluster.member]
}
