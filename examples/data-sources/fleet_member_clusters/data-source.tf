data "fleet_member_clusters" "production" {
  label_selector = {
    match_labels = {
      environment = "production"
    }
  }
}

output "production_clusters" {
  value = {
    for name, cluster in data.fleet_member_clusters.production.member_clusters : name => cluster.properties["kubernetes-fleet.io/node-count"]
  }
}
