# Hands an unmanaged workload on member-1 over to a placement in one apply, without a restart.
resource "fleet_workload" "web" {
  cluster   = "member-1"
  group     = "apps"
  version   = "v1"
  kind      = "Deployment"
  namespace = "shop"
  name      = "web"

  lifecycle {
    postcondition {
      condition     = self.restart != "rollout"
      error_message = "The takeover would replace Pods: ${join(", ", self.restart_changes)}"
    }
  }
}

resource "fleet_crp" "web" {
  name      = "web"
  manifests = fleet_workload.web.manifests

  policy = {
    placement_type = "PickFixed"
    cluster_names  = ["member-1"]
  }

  strategy = {
    apply_strategy = { when_to_take_over = "IfNoDiff" }
  }
}
