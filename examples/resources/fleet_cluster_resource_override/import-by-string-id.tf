import {
  to = fleet_cluster_resource_override.namespace
  id = "override-web"
}
