import {
  to = fleet_member_cluster.member_1
  id = "member-1"
}
