# terraform apply -invoke=action.fleet_stage_approval.canary
action "fleet_stage_approval" "canary" {
  config {
    run_name   = "web-3"
    stage_name = "canary"
    message    = "Checked by the team that is on call"
  }
}
