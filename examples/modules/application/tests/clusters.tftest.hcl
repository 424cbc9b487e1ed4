# On clusters: set TF_VAR_kubeconfig to a kubeconfig with the contexts member-1, member-2 and member-3.

run "one_region" {
  module {
    source = "./tests/clusters"
  }

  assert {
    condition     = output.status == "Available" && output.actions == tolist(["create"])
    error_message = "${output.status}: ${join(", ", output.actions)}"
  }

  assert {
    condition     = jsonencode(output.replicas) == jsonencode({ member-1 = 2, member-2 = 2 })
    error_message = "The members of the region east have ${jsonencode(output.replicas)}."
  }
}

run "two_regions" {
  module {
    source = "./tests/clusters"
  }

  variables {
    regions = { east = {}, west = { patches = [{ op = "replace", path = "/spec/replicas", value = "3" }] } }
  }

  assert {
    condition     = jsonencode(output.replicas) == jsonencode({ member-1 = 1, member-2 = 1, member-3 = 3 })
    error_message = "The members have ${jsonencode(output.replicas)}."
  }
}

run "unchanged" {
  command = plan

  module {
    source = "./tests/clusters"
  }

  variables {
    regions = { east = {}, west = { patches = [{ op = "replace", path = "/spec/replicas", value = "3" }] } }
  }

  assert {
    condition     = output.status == "Available" && output.actions == tolist(["none"])
    error_message = "${output.status}: the next apply changes objects: ${join(", ", output.actions)}."
  }
}
