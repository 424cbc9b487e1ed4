# A namespace and everything in it, from the hub to the production clusters. Workloads that exist there already are left alone.
resource "fleet_crp" "web" {
  name = "web"

  resource_selectors = [
    {
      group   = ""
      version = "v1"
      kind    = "Namespace"
      name    = "web"
    }
  ]

  policy = {
    placement_type = "PickAll"
    affinity = {
      cluster_affinity = {
        required_during_scheduling_ignored_during_execution = {
          cluster_selector_terms = [
            { label_selector = { match_labels = { environment = "production" } } }
          ]
        }
      }
    }
  }

  strategy = {
    apply_strategy = {
      when_to_take_over = "Never"
    }
  }
}

# Without a hub: the placement brings its objects with it.
resource "fleet_crp" "limits" {
  name = "limits"

  manifests = {
    "namespace.yaml" = "{apiVersion: v1, kind: Namespace, metadata: {name: batch}}"
    "quota.yaml"     = file("quota.yaml")
  }
}
