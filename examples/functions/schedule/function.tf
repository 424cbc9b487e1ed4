output "picked" {
  value = provider::fleet::schedule(
    jsonencode([
      { name = "east-1", labels = { region = "east" } },
      { name = "west-1", labels = { region = "west" } },
      { name = "west-2", labels = { region = "west" } },
    ]),
    jsonencode({
      placementType             = "PickN"
      numberOfClusters          = 2
      topologySpreadConstraints = [{ topologyKey = "region" }]
    }),
  ).selected
}
