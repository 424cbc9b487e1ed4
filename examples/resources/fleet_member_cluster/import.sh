terraform import fleet_member_cluster.member_1 member-1
