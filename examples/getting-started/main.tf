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
  labels = { environment = contains(var.production, each.key) ? "production" : "canary" }
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
  strategy   = { apply_strategy = { when_to_take_over = var.when_to_take_over } }
  depends_on = [fleet_member_cluster.member]
}

output "phase" {
  value = fleet_crp.hello.phase
}

output "problems" {
  value = fleet_crp.hello.problems
}
