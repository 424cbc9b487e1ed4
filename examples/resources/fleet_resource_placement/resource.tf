# Places objects of a team's namespace on two clusters.
resource "fleet_resource_placement" "web" {
  namespace = "web"
  name      = "app"
  resource_selectors = [
    { group = "apps", version = "v1", kind = "Deployment", name = "web" },
    { group = "", version = "v1", kind = "ConfigMap", label_selector = { match_labels = { app = "web" } } },
  ]
  policy = {
    placement_type     = "PickN"
    number_of_clusters = 2
  }
}
