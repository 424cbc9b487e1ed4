# terraform query -generate-config-out=budgets.tf
# All budgets.
list "fleet_disruption_budget" "all" {
  provider = fleet
}
