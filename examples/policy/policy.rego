# METADATA
# description: |
#   The policies for a plan of Terraform, as terraform show -json prints it. They read the previews (fleet_placement_preview) in the plan.
package fleet

own_placements := {"policy-shop"}

# The hours (UTC) between which no Pod in production restarts: from 11:00, until 14:00.
no_restarts := {"from": 11, "to": 14}

# Every preview that the plan has read, in any module.
previews contains resource.values if {
	walk(input.prior_state.values, [_, resource])
	resource.type == "fleet_placement_preview"
	resource.mode == "data"
}

# The environments of the members that this plan registers. Any other cluster counts as production.
environment[change.after.name] := object.get(change.after, ["labels", "environment"], "production") if {
	some resource in input.resource_changes
	resource.type == "fleet_member_cluster"
	change := resource.change
	change.after != null
}

is_production(cluster) if not environment[cluster]

is_production(cluster) if environment[cluster] == "production"

is_busy if {
	[hour, _, _] := time.clock(time.parse_rfc3339_ns(input.timestamp))
	no_restarts.from <= hour
	hour < no_restarts.to
}

text(object, cluster) := sprintf("%s %s on %s", [object.kind, trim_prefix(sprintf("%s/%s", [object.namespace, object.name]), "/"), cluster])

deny contains sprintf("The apply deletes %s, in production.", [text(object, cluster)]) if {
	some preview in previews
	some cluster, content in preview.clusters
	is_production(cluster)
	some object in content.objects
	object.action in {"prune", "replace"}
}

deny contains sprintf("The apply restarts Pods of %s, in production and between %d:00 and %d:00 UTC.", [text(object, cluster), no_restarts.from, no_restarts.to]) if {
	is_busy
	some preview in previews
	some cluster, content in preview.clusters
	is_production(cluster)
	some object in content.objects
	object.restart in {"rollout", "unknown"}
}

deny contains sprintf("The apply takes over %s from %s.", [text(object, cluster), object.owner.text]) if {
	some preview in previews
	some cluster, content in preview.clusters
	some object in content.objects
	object.action == "take_over"
	not object.owner.kind in {"none", "kubectl"}
}

deny contains sprintf("The apply takes over %s from the placement %s.", [text(object, cluster), object.from]) if {
	some preview in previews
	some cluster, content in preview.clusters
	some object in content.objects
	object.action == "take_over_from"
	not object.from in own_placements
}

# The policies above see only what the previews contain. The following rules deny a plan without a complete preview.

placement_types := {"fleet_crp", "fleet_resource_placement"}

deny contains sprintf("%s changes and the plan has no fleet_placement_preview of it.", [resource.address]) if {
	some resource in input.resource_changes
	resource.type in placement_types
	some action in resource.change.actions
	action in {"create", "update"}
	not has_preview(resource.change.after)
}

has_preview(placement) if {
	some preview in previews
	preview.name == placement.name
	object.get(preview, "namespace", null) == object.get(placement, "namespace", null)
}

# Otherwise the plan shows the preview of an earlier run, or none.
deny contains sprintf("%s is read only during the apply.", [resource.address]) if {
	some resource in input.resource_changes
	resource.type == "fleet_placement_preview"
	resource.change.actions == ["read"]
}

deny contains sprintf("%s could not be checked: %s", [cluster, content.error]) if {
	some preview in previews
	some cluster, content in preview.clusters
	content.error != ""
}

deny contains sprintf("%s is destroyed.", [resource.address]) if {
	some resource in input.resource_changes
	resource.type in placement_types
	resource.change.actions == ["delete"]
}
