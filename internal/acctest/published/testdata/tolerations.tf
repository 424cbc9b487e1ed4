# The taints of the members are in fleet.tf.
resource "fleet_crp" "tolerant" {
  name               = "tolerant"
  policy             = { placement_type = "PickAll", tolerations = var.tolerations }
  resource_selectors = [{ group = "", kind = "Namespace", name = "tolerant", version = "v1" }]
  depends_on         = [fleet_member_cluster.member]
}
