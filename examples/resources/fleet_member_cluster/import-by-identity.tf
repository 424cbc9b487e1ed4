import {
  to = fleet_member_cluster.member_1
  identity = {
    name = "member-1"
  }
}
