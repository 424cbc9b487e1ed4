# Places the output of Kustomize: built/production.yaml is the output of
#
#   kubectl kustomize production > built/production.yaml
resource "fleet_crp" "shop" {
  name       = "bring-kustomize"
  manifests  = provider::fleet::manifests(file("${path.module}/built/production.yaml"))
  depends_on = [fleet_member_cluster.member]
}
