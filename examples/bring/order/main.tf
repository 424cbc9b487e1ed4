# Creates the database before the shop: an apply writes the shop only if every object of the database is available on all its clusters.
resource "fleet_crp" "database" {
  name       = "bring-order-database"
  manifests  = { "database.yaml" = file("${path.module}/app/database.yaml") }
  depends_on = [fleet_member_cluster.member]
}

resource "fleet_crp" "shop" {
  name      = "bring-order-shop"
  manifests = { "shop.yaml" = file("${path.module}/app/shop.yaml") }

  lifecycle {
    precondition {
      condition     = fleet_crp.database.phase == "Available"
      error_message = "The database is not available: ${fleet_crp.database.problems}"
    }
  }
}
