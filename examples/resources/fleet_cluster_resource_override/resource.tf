resource "fleet_cluster_resource_override" "namespace" {
  name = "override-web"

  cluster_resource_selectors = [
    {
      group   = ""
      version = "v1"
      kind    = "Namespace"
      name    = "override-web"
    }
  ]

  policy = {
    override_rules = [
      {
        # Without terms, the rule applies to all clusters.
        cluster_selector = {
          cluster_selector_terms = []
        }
        json_patch_overrides = [
          {
            op    = "add"
            path  = "/metadata/labels/cluster"
            value = jsonencode("$${MEMBER-CLUSTER-NAME}")
          }
        ]
      }
    ]
  }
}
