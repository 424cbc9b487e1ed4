# On clusters: set TF_VAR_kubeconfig to a kubeconfig with the contexts member-1, member-2 and member-3, and apply tests/clusters/member-1.yaml and
# tests/clusters/member-2.yaml to these members. The objects in these files remain after the tests.

run "hand_over" {
  module {
    source = "./tests/clusters"
  }

  assert {
    condition     = output.status == "Available" && output.restart == "none"
    error_message = "${output.status}, restart: ${output.restart}"
  }

  assert {
    condition     = jsonencode(output.actions) == jsonencode({ member-1 = ["take_over"] })
    error_message = "The apply does not only take over: ${jsonencode(output.actions)}."
  }
}

run "second_member" {
  module {
    source = "./tests/clusters"
  }

  variables {
    clusters = ["member-1", "member-2"]
  }

  assert {
    condition     = output.status == "Available" && jsonencode(output.actions) == jsonencode({ member-1 = ["none"], member-2 = ["create"] })
    error_message = "${output.status}: ${jsonencode(output.actions)}"
  }
}

run "unchanged" {
  command = plan

  module {
    source = "./tests/clusters"
  }

  variables {
    clusters = ["member-1", "member-2"]
  }

  assert {
    condition     = jsonencode(output.actions) == jsonencode({ member-1 = ["none"], member-2 = ["none"] })
    error_message = "The next apply changes objects: ${jsonencode(output.actions)}."
  }
}
