# Joining a member from nothing: the hub's side. It needs a hub of KubeFleet, and nothing on the member.

terraform {
  required_providers {
    fleet = {
      source = "terraform-fleet/fleet"
    }
  }
}

variable "kubeconfig" {
  type        = string
  description = "Path of a kubeconfig with the contexts hub and member-1."
}

provider "fleet" {
  applying = terraform.applying
  engine   = "kubefleet"

  hub = {
    config_path    = var.kubeconfig
    config_context = "hub"
  }
}

# The MemberCluster, and a ServiceAccount for the member's agent. The hub makes the agent's namespace and role.
resource "fleet_member_cluster" "member_1" {
  name = "member-1"

  labels = {
    environment = "production"
  }
}

output "agent" {
  description = "Who the agent is on the hub, and what it may do there."
  value       = fleet_member_cluster.member_1.agent
}

# The token that the agent signs in with. It stands in no plan and in no state. The name follows from the status, which is known once the member is
# registered: a name that is known before would ask the hub in the plan for a member that it does not have yet.
ephemeral "fleet_member_token" "member_1" {
  name               = fleet_member_cluster.member_1.status == null ? "" : fleet_member_cluster.member_1.name
  expiration_seconds = 86400
}
