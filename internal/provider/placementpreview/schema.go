package placementpreview

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/difference"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/enum"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identifier"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/validate"
)

func text(description string) schema.StringAttribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

func number(description string) schema.Int64Attribute {
	return schema.Int64Attribute{Computed: true, MarkdownDescription: description}
}

func boolean(description string) schema.BoolAttribute {
	return schema.BoolAttribute{Computed: true, MarkdownDescription: description}
}

func (query) Schema() (schema.Schema, error) {
	attributes, err := convert.DataSource(placement.ArgumentAttributes())
	if err != nil {
		return schema.Schema{}, err
	}
	if manifests, ok := attributes["manifests"].(schema.MapAttribute); ok {
		// The description of the resource says where an engine stores the manifests. The data source only has them in its configuration.
		manifests.MarkdownDescription = "Objects to place, as in `fleet_crp`. Secrets in them are in the Terraform state, like all configured values."
		attributes["manifests"] = manifests
	}
	if name, ok := attributes["name"].(schema.StringAttribute); ok {
		name.MarkdownDescription = "Name of the placement, at most 63 characters."
		attributes["name"] = name
	}
	handOver, err := convert.DataSource(placement.HandOverAttributes())
	if err != nil {
		return schema.Schema{}, err
	}
	if from, ok := handOver["takes_over_from"].(schema.SetAttribute); ok {
		from.MarkdownDescription = "Names of other placements that hand objects over to this one, as in `fleet_crp`. A `fleet_resource_placement` is named as " +
			"NAMESPACE/NAME."
		handOver["takes_over_from"] = from
	}
	maps.Copy(attributes, handOver)
	attributes["namespace"] = schema.StringAttribute{
		Optional: true, MarkdownDescription: "Namespace of a `fleet_resource_placement`. Omit it for a `fleet_crp`.",
		Validators: []validator.String{validate.Namespace()},
	}
	attributes["dependencies"] = schema.ListAttribute{
		Optional: true, ElementType: types.StringType,
		MarkdownDescription: "Makes Terraform plan other resources before it reads the data source, so that the preview includes their changes. Set " +
			"it to any values of these resources, for example the names of members, overrides and envelopes, through a local value. The argument has " +
			"no other effect. With `depends_on`, or with a direct reference, Terraform reads the data source only during the apply whenever one of " +
			"these resources changes.",
	}
	if attributes["assume"], err = assumeAttribute(); err != nil {
		return schema.Schema{}, err
	}
	attributes["render_manifests"] = schema.BoolAttribute{
		Optional: true, MarkdownDescription: "Whether to compute `rendered_manifests`, for example to review overrides. The default is `false`.",
	}
	results, err := resultAttributes()
	maps.Copy(attributes, results)
	return schema.Schema{
		MarkdownDescription: "What an apply of a placement would do now, on every cluster: which clusters are picked and why, which pre-existing " +
			"objects are there, who owns them, which fields differ, and what the apply does with them. The data source writes nothing. Use it before " +
			"the placement exists, in `check` blocks, and for a report in a pull request.\n\n" +
			"With only a `name`, and a `namespace` for a `fleet_resource_placement`, the data source shows what the plan of the resource shows, " +
			"including replacements and objects from `manifests_wo`. Terraform must plan the resource first: set the name from the resource through a " +
			"local value, as in the example.\n\n" +
			"With more arguments of `fleet_crp` or `fleet_resource_placement`, the data source previews a placement with these arguments. Use this " +
			"before there is a resource, and for `expected_preview`. If a placement of that name exists, the preview shows its change, and otherwise " +
			"its creation. If the configuration has a resource for the placement, the plan warns if the resource has other arguments, or if it is " +
			"replaced and the preview does not show the replacement. The preview includes the members, overrides and envelopes that the same run " +
			"plans, if they are named in `dependencies`.\n\nWith more arguments than the name, the data source does not have " +
			"the `manifests_wo` of the placement: it lists the objects that the last apply placed from `manifests_wo` as `not_checked`.\n\nA " +
			"cluster that cannot be checked is part of the result (`error`), and fails the plan only with the provider argument " +
			"`preview = \"Required\"`. `preview = \"Off\"` has no effect on this data source. The result contains no values of Secrets.",
		Attributes: attributes,
	}, err
}

func resultAttributes() (map[string]schema.Attribute, error) {
	object, err := objectAttributes()
	conflict := maps.Clone(object)
	conflict["cluster"] = text("Name of the cluster.")
	return map[string]schema.Attribute{
		"clusters": schema.MapNestedAttribute{
			Computed: true, MarkdownDescription: "The clusters of the fleet, and other clusters that have objects of the placement, by name.",
			NestedObject: schema.NestedAttributeObject{Attributes: clusterAttributes(object)},
		},
		"conflicts": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "The objects of all clusters with `conflict = true`, for `check` blocks.",
			NestedObject: schema.NestedAttributeObject{Attributes: conflict},
		},
		"counts": schema.SingleNestedAttribute{
			Computed: true, MarkdownDescription: "Number of objects by `action`, over all clusters.", Attributes: countAttributes(),
		},
		"empty_selectors": schema.ListAttribute{
			Computed: true, ElementType: types.Int64Type, MarkdownDescription: "Indexes of the `resource_selectors` that match nothing.",
		},
		"fulfilled": boolean("Whether the policy picks as many clusters as it requests."),
		"replaces": boolean("Whether the apply replaces the placement, for example because of another `placement_type` or name with the engines `kubefleet` " +
			"and `kubeadmiral`. The apply " +
			"then removes the placement and creates it again, and the preview lists the objects of both steps."),
		"rendered_manifests": schema.MapAttribute{
			Computed: true, ElementType: types.MapType{ElemType: types.StringType},
			MarkdownDescription: "With `render_manifests`: the objects as the apply writes them to each picked cluster, after overrides, as YAML. The " +
				"keys are the names of the clusters, and below them the objects, as in `Deployment web/web` or " +
				"`Certificate.cert-manager.io web/tls`. Values of Secrets and those from `value_sensitive` are masked. Objects from `manifests_wo` " +
				"are left out. With the engine `direct`, a cluster that could not be checked is also left out, because its overrides are unknown. " +
				"Null without `render_manifests`.",
		},
		"report": text("The preview as Markdown, for a comment on a pull request; at most 60,000 bytes."),
		"report_data": text("The preview as input of the function `preview_html`, which makes a page for a browser. The format can change with every " +
			"release: do not parse it, and use it with the version of the provider that wrote it."),
		"digest": text("A digest of the preview, for `expected_preview` of the placement, which binds the apply to the preview. Null with `assume`, because " +
			"no apply can make the assumed changes."),
	}, err
}

func countAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"create":         number("Objects that are created."),
		"update":         number("Objects of the placement that are updated."),
		"replace":        number("Objects of the placement that are deleted and recreated, with their contents."),
		"take_over":      number("Pre-existing objects that are taken over."),
		"take_over_from": number("Objects that other placements hand over to this one."),
		"leave_alone":    number("Pre-existing objects that are not taken over."),
		"leave_drifted":  number("Objects of the placement that others have changed, and that remain unchanged."),
		"reject":         number("Objects that cannot be placed."),
		"report":         number("Objects that are only reported, because of `type = \"ReportDiff\"`."),
		"none":           number("Objects of the placement that remain unchanged in this apply, including those with the `action` `defer`."),
		"prune":          number("Objects of the placement that are deleted."),
		"orphan":         number("Objects that remain on the cluster, and that the placement no longer manages."),
		"hand_over":      number("Objects that are handed over to other placements."),
		"unknown":        number("Objects that are no longer placed and that could not be checked. The apply deletes them or keeps them on the cluster."),
		"not_checked": number("Clusters (not objects) that could not be checked, or that `assume` adds to the fleet. Objects with the `action` " +
			"`not_checked` are counted in `from_manifests_wo`."),
		"restart": number("Workloads whose takeover or update restarts Pods immediately. They are also counted under their `action`."),

		"from_manifests_wo": number("Objects from `manifests_wo`, which are not checked."),
	}
}

func clusterAttributes(object map[string]schema.Attribute) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"picked":                boolean("Whether the placement policy picks the cluster."),
		"reason":                text("Why the cluster is picked or not picked, as reported by the scheduler."),
		"affinity_score":        number("Score of the cluster for the preferences of the policy; null without scores."),
		"topology_spread_score": number("Score of the cluster for the spread constraints of the policy; null without scores."),
		"check_method": text("How the cluster was checked: `dry_run` (live reads, and server-side dry runs where a comparison was uncertain), `read_only` " +
			"(live reads only) or `offline` (not at all). The result is `read_only` if all comparisons were certain, or if the credentials do not allow " +
			"dry runs."),
		"error":   text("Why the cluster could not be checked; empty if the cluster was checked."),
		"problem": text("Why nothing can be placed on the cluster although it responds; empty otherwise."),
		"joining": boolean("Whether the same plan, or `assume`, makes the cluster join the fleet."),
		"leaving": boolean("Whether the same plan, or `assume`, removes the cluster from the fleet."),
		"objects": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "The objects, in the order in which they are written. Empty if the cluster has an `error`.",
			NestedObject: schema.NestedAttributeObject{Attributes: object},
		},
	}
}

func objectAttributes() (map[string]schema.Attribute, error) {
	out, err := convert.DataSource(identifier.Attributes())
	if err != nil {
		return map[string]schema.Attribute{}, err
	}
	maps.Copy(out, map[string]schema.Attribute{
		"action": text("What happens to the object: " + enum.OneOf[takeover.Action]() + "; or `not_checked` if it is from `manifests_wo`. The attributes of " +
			"`counts` describe the values, except `defer`, which postpones the deletion of the object to a later apply."),
		"conflict": boolean("Whether the object is pre-existing or cannot be placed. A pre-existing object is a conflict even if it is taken over. An " +
			"object of the placement that others have changed, and that remains unchanged, is not a conflict."),
		"obstacle": text("Why the object is not written or not deleted, in one word; empty without an obstacle. " + joinMeanings(obstacleMeanings)),
		"reason": text("Predicted reason of the status condition if the object is not placed, such as `NotTakenOver`, `FailedToTakeOver` or " +
			"`ManifestApplyFailed`; usually empty otherwise."),
		"message": text("Predicted message of the status condition."),
		"restart": text("What the write does to the Pods of an existing workload: " + enum.OneOf[workload.Restart]() + ". With `rollout`, at least some " +
			"Pods are replaced immediately, without further action. With `later`, no Pod is replaced immediately: the workload is paused, its update " +
			"strategy is `OnDelete`, or its partition excludes all Pods. With `unknown`, the write could not be dry-run. Empty if the object has no Pods, or is not written."),
		"from": text("The placement that hands the object over, with the `action` `take_over_from`; else empty."),
		"to":   text("The placement that the object is handed over to, with the `action` `hand_over`; else empty."),
		"owner": schema.SingleNestedAttribute{
			Computed: true, MarkdownDescription: "The current owner of the object, if it is not the placement.",
			Attributes: difference.OwnerAttributes(),
		},
		"differences": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "The fields in which the object differs from the object to be placed.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"field":     text("Path for display. Elements of lists are named by their key if they have one."),
				"path":      text("JSON pointer into the object on the cluster."),
				"in_hub":    text("Value to be placed, as JSON; null if absent. A value of more than 4,096 bytes is shortened, and is then a string."),
				"in_member": text("Value on the cluster, in the same form."),
				"manager":   text("Field manager of the value on the cluster, and whether it is an autoscaler; empty if unknown."),
			}},
		},
		"observed_diffs":  patchAttribute("The predicted differences in the status, in KubeFleet's form."),
		"observed_drifts": patchAttribute("Fields that others have changed and that remain unchanged, in KubeFleet's form."),
	})
	return out, nil
}

func patchAttribute(description string) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Computed: true, MarkdownDescription: description,
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"path":            text("JSON pointer, with the indexes of lists."),
			"value_in_member": text("Value on the cluster, for display; empty if absent."),
			"value_in_hub":    text("Value to be placed, for display; empty if absent."),
		}},
	}
}
