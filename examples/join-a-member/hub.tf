# The hub's side of a new member. It needs a hub of KubeFleet, and nothing on the member.

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

# Creates the MemberCluster, and a ServiceAccount for the member's agent. The hub creates the agent's namespace and role.
resource "fleet_member_cluster" "member_1" {
  name = "member-1"

  labels = {
    environment = "production"
  }
}

output "agent" {
  description = "Identity and rights of the agent on the hub."
  value       = fleet_member_cluster.member_1.agent
}

# The token with which the agent signs in. It is in no plan and no state. The name depends on the status, which is unknown until the member is registered.
# Otherwise, the plan would request a token for a member that the hub does not have yet.
ephemeral "fleet_member_token" "member_1" {
  name               = fleet_member_cluster.member_1.status == null ? "" : fleet_member_cluster.member_1.name
  expiration_seconds = 86400
}
