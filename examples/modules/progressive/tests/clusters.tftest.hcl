# On clusters: set TF_VAR_kubeconfig to a kubeconfig with the contexts member-1, member-2 and member-3.

run "canaries_and_others" {
  module {
    source = "./tests/clusters"
  }

  assert {
    condition     = output.phases == { progressive-canary = "Available", progressive = "Available" }
    error_message = "The placements are ${jsonencode(output.phases)}."
  }

  assert {
    condition     = output.picked == { progressive-canary = "member-1", progressive = "member-2 member-3" }
    error_message = "The placements pick ${jsonencode(output.picked)}."
  }
}

run "unchanged" {
  command = plan

  module {
    source = "./tests/clusters"
  }

  assert {
    condition     = output.actions == tolist(["none"])
    error_message = "The next apply changes objects: ${join(", ", output.actions)}."
  }
}
