# The objects in the namespace that no placement, hub or tool owns.
data "fleet_member_objects" "unplaced" {
  cluster    = "member-1"
  namespaces = ["shop"]
  owned_by   = ["none", "released", "kubectl"]
}

# For each Deployment, the arguments of a fleet_workload that hands it over to a placement.
output "deployments" {
  value = [
    for o in data.fleet_member_objects.unplaced.objects : { cluster = "member-1", group = o.group, version = o.version, kind = o.kind, namespace = o.namespace, name = o.name }
    if o.kind == "Deployment"
  ]
}
