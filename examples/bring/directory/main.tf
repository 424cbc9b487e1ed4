# Places every YAML file below app/. A file may have several documents.
resource "fleet_crp" "shop" {
  name       = "bring-directory"
  manifests  = { for name in fileset("${path.module}/app", "**/*.yaml") : name => file("${path.module}/app/${name}") }
  depends_on = [fleet_member_cluster.member]
}
