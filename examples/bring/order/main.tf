# Creates the database before the shop: the second placement is written when every object of the first one is available on its clusters.
resource "fleet_crp" "database" {
  name       = "bring-order-database"
  manifests  = { "database.yaml" = file("${path.module}/app/database.yaml") }
  wait       = { until = "Available", on_failure = "Error" } # so that an apply stops here if the database does not start
  depends_on = [fleet_member_cluster.member]
}

resource "fleet_crp" "shop" {
  name       = "bring-order-shop"
  manifests  = { "shop.yaml" = file("${path.module}/app/shop.yaml") }
  depends_on = [fleet_crp.database]
}
