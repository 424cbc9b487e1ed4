resource "fleet_member_cluster" "east_1" {
  name = "east-1"
}

# Terraform reads the token during plan and apply, and does not store it. Use it in write-only arguments, provider configurations and other ephemeral resources.
# The name depends on the status, which is unknown until the member is registered: the plan that registers the member requests no token.
ephemeral "fleet_member_token" "east_1" {
  name               = fleet_member_cluster.east_1.status == null ? "" : fleet_member_cluster.east_1.name
  expiration_seconds = 7200
}
