# The shop runs on all members: another tool created it on each of them. The placement takes it over.
variable "when_to_take_over" {
  type        = string
  description = "Always, IfNoDiff or Never."
  default     = "IfNoDiff"
}

resource "fleet_crp" "shop" {
  name       = "shop"
  manifests  = provider::fleet::manifests(file("${path.module}/app/shop.yaml"))
  strategy   = { apply_strategy = { when_to_take_over = var.when_to_take_over } }
  depends_on = [fleet_member_cluster.member]
}

output "problems" {
  value = fleet_crp.shop.problems
}
