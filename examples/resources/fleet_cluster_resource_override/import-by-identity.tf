import {
  to = fleet_cluster_resource_override.namespace
  identity = {
    name = "override-web"
  }
}
