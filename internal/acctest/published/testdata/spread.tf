resource "fleet_crp" "spread" {
  name = "spread"
  policy = {
    placement_type     = "PickN"
    number_of_clusters = 2
    topology_spread_constraints = [
      { max_skew = 2, topology_key = "region", when_unsatisfiable = "DoNotSchedule" },
      { max_skew = 2, topology_key = "updateDay", when_unsatisfiable = "ScheduleAnyway" },
    ]
  }
  resource_selectors = [{ group = "", kind = "Namespace", name = "spread", version = "v1" }]
  depends_on         = [fleet_member_cluster.member]
}
