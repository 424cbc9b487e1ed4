terraform {
  required_providers {
    fleet = { source = "terraform-fleet/fleet" }
  }
}

provider "fleet" {
  applying = terraform.applying
  members  = { for name in var.members : name => { config_path = var.kubeconfig, config_context = name } }
}

# Registers the clusters as members of the fleet. Nothing is placed on a cluster that is not a member.
resource "fleet_member_cluster" "member" {
  for_each = var.members

  name   = each.key
  labels = { environment = each.key == "member-3" ? "canary" : "production" }
}

resource "fleet_crp" "hello" {
  name = "hello"
  manifests = {
    "namespace.yaml" = file("${path.module}/app/namespace.yaml")
    "config.yaml"    = templatefile("${path.module}/app/config.yaml", { greeting = var.greeting })
  }
  policy = {
    affinity = { cluster_affinity = { required_during_scheduling_ignored_during_execution = { cluster_selector_terms = [
      { label_selector = { match_labels = { environment = "production" } } },
    ] } } }
  }
  # Pre-existing objects on a cluster remain unchanged. The default is "Always", as in KubeFleet: they are taken over and overwritten.
  strategy   = { apply_strategy = { when_to_take_over = "Never" } }
  depends_on = [fleet_member_cluster.member]
}

output "phase" {
  value = fleet_crp.hello.phase
}

output "problems" {
  value = fleet_crp.hello.problems
}
