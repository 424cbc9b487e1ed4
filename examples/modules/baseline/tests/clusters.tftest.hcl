# On clusters: set TF_VAR_kubeconfig to a kubeconfig with the contexts member-1, member-2 and member-3.

run "every_member" {
  module {
    source = "./tests/clusters"
  }

  assert {
    condition     = output.status == "Available"
    error_message = output.status
  }
}

# The API servers store the objects as they are written, so the next apply changes nothing.
run "unchanged" {
  command = plan

  module {
    source = "./tests/clusters"
  }

  assert {
    condition     = jsonencode(output.actions) == jsonencode({ for member in ["member-1", "member-2", "member-3"] : member => ["none"] })
    error_message = "The next apply changes objects: ${jsonencode(output.actions)}."
  }
}
