resource "fleet_crp" "web" {
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

# Through a local value, Terraform plans the resource first, and the data source shows that plan. With a direct reference or depends_on, Terraform would read
# the data source only during the apply. For a comment on a pull request, read the report from a saved plan:
#   terraform show -json tfplan | jq -r '.prior_state.values.root_module.resources[] | select(.type == "fleet_placement_preview") | .values.report'
locals {
  placed = fleet_crp.web.name
}

data "fleet_placement_preview" "web" {
  name = local.placed
}

# Warns, and does not stop the plan, if the placement would not take over a pre-existing object.
check "everything_is_taken_over" {
  assert {
    condition = alltrue([for object in data.fleet_placement_preview.web.conflicts : object.action == "take_over"])
    error_message = join("\n", [
      for object in data.fleet_placement_preview.web.conflicts :
      "${object.cluster}: ${object.kind} ${trimprefix("${object.namespace}/${object.name}", "/")} (${object.owner.text}): ${object.reason}" if object.action != "take_over"
    ])
  }
}
