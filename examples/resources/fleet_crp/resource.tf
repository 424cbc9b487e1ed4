# Places a namespace of the hub, with everything in it, on the production clusters. Pre-existing objects there remain unchanged.
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

# Without a hub, the placement contains its objects.
resource "fleet_crp" "limits" {
  name = "limits"

  manifests = {
    "namespace.yaml" = "{apiVersion: v1, kind: Namespace, metadata: {name: batch}}"
    "quota.yaml"     = file("quota.yaml")
  }
}
