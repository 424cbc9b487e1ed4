resource "fleet_crp" "rolling" {
  name               = "rolling"
  policy             = { placement_type = "PickAll" }
  strategy           = { type = "RollingUpdate", rolling_update = { max_unavailable = "25%", max_surge = "25%", unavailable_period_seconds = 60 } }
  resource_selectors = [{ group = "", kind = "Namespace", name = "rolling", version = "v1" }]
  depends_on         = [fleet_member_cluster.member]
}
