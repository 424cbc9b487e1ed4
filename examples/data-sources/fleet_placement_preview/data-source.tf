data "fleet_placement_preview" "web" {
  name = "web-2-crp"

  resource_selectors = [{
    group   = ""
    kind    = "Namespace"
    version = "v1"
    name    = "web-2"
  }]

  strategy = {
    apply_strategy = {
      when_to_take_over = "IfNoDiff"
    }
  }
}

# Fails the check, and not the plan, when something exists already that the placement would leave alone.
check "nothing_is_left_alone" {
  assert {
    condition = alltrue([for object in data.fleet_placement_preview.web.conflicts : object.action == "take_over"])
    error_message = join("\n", [
      for object in data.fleet_placement_preview.web.conflicts :
      "${object.cluster}: ${object.kind} ${trimprefix("${object.namespace}/${object.name}", "/")} (${object.owner.text}): ${object.reason}" if object.action != "take_over"
    ])
  }
}

# For a comment on a pull request.
output "preview_report" {
  value = data.fleet_placement_preview.web.report
}
