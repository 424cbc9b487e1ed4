resource "fleet_resource_override" "web" {
  name      = "web"
  namespace = "override-web"

  resource_selectors = [
    {
      group   = "apps"
      version = "v1"
      kind    = "Deployment"
      name    = "web"
    }
  ]

  policy = {
    override_rules = [
      {
        cluster_selector = {
          cluster_selector_terms = [
            { label_selector = { match_labels = { environment = "canary" } } }
          ]
        }
        json_patch_overrides = [
          { op = "replace", path = "/spec/replicas", value = jsonencode(1) }
        ]
      }
    ]
  }
}
