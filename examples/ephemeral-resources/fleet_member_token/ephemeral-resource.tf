resource "fleet_member_cluster" "east_1" {
  name = "east-1"
}

# Read at plan and at apply, and stored nowhere. Its values may go into write-only arguments, provider configurations and other ephemeral resources.
# The name follows from the status, which is known once the member is registered: the plan that registers it does not ask for a token yet.
ephemeral "fleet_member_token" "east_1" {
  name               = fleet_member_cluster.east_1.status == null ? "" : fleet_member_cluster.east_1.name
  expiration_seconds = 7200
}
