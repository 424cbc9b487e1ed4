package placementpreview

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
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
		// The description of the resource says where an engine stores them. The data source only has them in its configuration.
		manifests.MarkdownDescription = "Objects to place, as in `fleet_crp`. Secrets in them are in the Terraform state, as everything that is configured is."
		attributes["manifests"] = manifests
	}
	handOver, err := convert.DataSource(placement.HandOverAttributes())
	if err != nil {
		return schema.Schema{}, err
	}
	maps.Copy(attributes, handOver)
	attributes["namespace"] = schema.StringAttribute{
		Optional: true, MarkdownDescription: "Namespace of the placement, which is then a `fleet_resource_placement`. Left out, it is a `fleet_crp`.",
		Validators: []validator.String{validate.Namespace()},
	}
	attributes["dependencies"] = schema.ListAttribute{
		Optional: true, ElementType: types.StringType,
		MarkdownDescription: "Anything of the resources that come before the placement, such as the names of its members, overrides and envelopes, " +
			"by way of a local value. It has no other effect than that Terraform plans those first; the preview is then of the fleet as their plans " +
			"make it. With `depends_on`, or a reference without a local value between, Terraform reads the data source only during the apply " +
			"whenever one of them changes.",
	}
	attributes["render_manifests"] = schema.BoolAttribute{
		Optional: true, MarkdownDescription: "Whether to compute `rendered_manifests`, as for a review of overrides. The default is `false`.",
	}
	results, err := resultAttributes()
	maps.Copy(attributes, results)
	return schema.Schema{
		MarkdownDescription: "What an apply of a placement would do now, on every cluster: which clusters are picked and why, which objects exist there " +
			"already, who owns them, which fields differ, and what the apply does with them. The data source writes nothing, " +
			"so that it can be read before there is a placement, in `check` blocks, and for a report in a pull request.\n\n" +
			"With only a `name`, and a `namespace` for a `fleet_resource_placement`, the data source shows what the plan of the resource shows, including replacements and objects " +
			"from `manifests_wo`. Terraform must plan the resource first: set the name from the resource through a local value, as in the example.\n\n" +
			"With other arguments of `fleet_crp` or `fleet_resource_placement`, the data source previews a placement with these arguments: before there is a resource, and for " +
			"`expected_preview`. If a placement of that name exists, the preview shows its change, and otherwise its creation. If the resource of the same run has other values or is " +
			"replaced, the plan warns. The preview includes the members, overrides and envelopes that the same run plans, if they are named in `dependencies`.\n\n" +
			"With other arguments, the data source does not have the `manifests_wo` of the placement. It lists the objects that the last apply placed from them as `not_checked`. " +
			"The engine `kubeadmiral` keeps no record of them and would list them as deleted: set only the name there.\n\n" +
			"A cluster that cannot be checked is part of the result (`error`), and fails the plan only with the provider argument `preview = \"Required\"`. " +
			"`preview = \"Off\"` has no effect on this data source. Values of Secrets are not part of what it shows.",
		Attributes: attributes,
	}, err
}

func resultAttributes() (map[string]schema.Attribute, error) {
	object, err := objectAttributes()
	conflict := maps.Clone(object)
	conflict["cluster"] = text("Name of the cluster.")
	return map[string]schema.Attribute{
		"clusters": schema.MapNestedAttribute{
			Computed: true, MarkdownDescription: "The clusters of the fleet, and others that have objects of the placement, by name.",
			NestedObject: schema.NestedAttributeObject{Attributes: clusterAttributes(object)},
		},
		"conflicts": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "The objects of all clusters with `conflict = true`, for `check` blocks.",
			NestedObject: schema.NestedAttributeObject{Attributes: conflict},
		},
		"counts": schema.SingleNestedAttribute{
			Computed: true, MarkdownDescription: "How many objects meet which `action`, over all clusters.", Attributes: countAttributes(),
		},
		"empty_selectors": schema.ListAttribute{
			Computed: true, ElementType: types.Int64Type, MarkdownDescription: "Indexes of the `resource_selectors` that match nothing.",
		},
		"fulfilled": boolean("Whether the policy gets all the clusters that it asks for."),
		"replaces": boolean("Whether the apply replaces the placement, as for another `placement_type` or name on a hub: the apply removes all objects and " +
			"creates them again. The preview then has both: an object that is deleted and created is listed twice."),
		"rendered_manifests": schema.MapAttribute{
			Computed: true, ElementType: types.MapType{ElemType: types.StringType},
			MarkdownDescription: "With `render_manifests`: the objects as the apply writes them to each picked cluster, after overrides, as YAML. The keys are the names of the clusters, and " +
				"the objects as in `Deployment.apps web/web`. Values of Secrets and those from `value_sensitive` are masked. Objects from `manifests_wo` are left out, and with the engine `direct` a cluster that could not be checked, " +
				"because its overrides are not known. Null without `render_manifests`.",
		},
		"report": text("The preview as Markdown, for a comment on a pull request; at most 60,000 bytes."),
		"digest": text("What the preview shows, for `expected_preview` of the `fleet_crp`: the apply then takes over, updates, deletes and replaces " +
			"nothing else, and places on no other clusters."),
	}, err
}

func countAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"create":         number("Objects that are created."),
		"update":         number("Objects of the placement that are written."),
		"replace":        number("Objects of the placement's own that are deleted and recreated, with what is in them."),
		"take_over":      number("Objects that exist already and become the placement's own."),
		"take_over_from": number("Objects that other placements hand over to this one."),
		"leave_alone":    number("Objects that exist already and are left as they are."),
		"leave_drifted":  number("Objects of the placement that are left as others have changed them."),
		"reject":         number("Objects that cannot be placed."),
		"report":         number("Objects that are reported under `type = \"ReportDiff\"` and not written."),
		"none":           number("Objects of the placement that are as they should be."),
		"prune":          number("Objects of the placement that are deleted."),
		"orphan":         number("Objects of the placement that are given up and stay on the cluster."),
		"hand_over":      number("Objects that are handed over to other placements."),
		"unknown":        number("Objects that are to be removed and could not be checked."),
		"not_checked":    number("Clusters that could not be checked."),
		"restart":        number("Workloads that are taken over or written and whose Pods restart at once; they are counted under their `action`, too."),

		"from_manifests_wo": number("Objects from `manifests_wo`, which are not checked."),
	}
}

func clusterAttributes(object map[string]schema.Attribute) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"picked":                boolean("Whether the placement is to be on the cluster."),
		"reason":                text("Why, or why not, in the scheduler's words."),
		"affinity_score":        number("What the preferences of the policy give the cluster; null without scores."),
		"topology_spread_score": number("What the spread constraints of the policy give the cluster; null without scores."),
		"look": text("How the cluster was looked at: `dry_run` (the API server was asked where a comparison left a doubt), `read_only` (the " +
			"credentials may not write everything, or nothing was in doubt: objects were read and compared) or `offline` (not at all)."),
		"error":   text("Why the cluster could not be checked; empty if it could."),
		"problem": text("Why nothing can be placed on the cluster though it answers; empty if something can."),
		"joining": boolean("Whether the cluster has not joined the fleet yet, and the same plan makes it join."),
		"leaving": boolean("Whether the same plan removes the cluster from the fleet."),
		"objects": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "The objects, in the order in which they are written. Nothing is known of those on a cluster with an `error`.",
			NestedObject: schema.NestedAttributeObject{Attributes: object},
		},
	}
}

func objectAttributes() (map[string]schema.Attribute, error) {
	out, err := convert.DataSource(identifier.Attributes("comes"))
	if err != nil {
		return map[string]schema.Attribute{}, err
	}
	maps.Copy(out, map[string]schema.Attribute{
		"action": text("What happens to the object: " + enum.OneOf[takeover.Action]() + "; or `not_checked` if it is from `manifests_wo`."),
		"conflict": boolean("Whether the object exists already and is not the placement's own, whether it is taken over or not, or cannot be " +
			"placed. An object of the placement that is left as others have changed it is none."),
		"obstacle": text("What keeps the object from being written, or from being deleted, in one word: " + enum.OneOf[takeover.Obstacle]() +
			"; empty for nothing."),
		"reason":  text("Why the object is not placed, as the status will say: `NotTakenOver`, `FailedToTakeOver`, `ManifestApplyFailed`, ...; else mostly empty."),
		"message": text("What the status will say of it."),
		"restart": text("What the write does to the Pods of a workload that is there: " + enum.OneOf[workload.Restart]() + ". `rollout` is for one that " +
			"replaces at least some of its Pods by itself, `later` for one that is paused, updated on deletion or held by its partition, `unknown` for one whose write could not be tried with a dry run. Empty for what has no Pods, or is not written."),
		"from": text("The placement that hands the object over, with the `action` `take_over_from`; else empty."),
		"to":   text("The placement that the object is handed over to, with the `action` `hand_over`; else empty."),
		"owner": schema.SingleNestedAttribute{
			Computed: true, MarkdownDescription: "Who looks after the object now, if that is not the placement.",
			Attributes: map[string]schema.Attribute{
				"kind": text("`none`, `kubefleet`, `kubeadmiral`, `unrecorded` (it carries the placement's label and was not made by it), `placement`, `applyset`, `helm`, `argocd`, `flux`, `terraform`, `kubectl` or `controller`."),
				"name": text("Which one, as far as it is known."),
				"text": text("Both, for reading; empty for nobody."),
			},
		},
		"differences": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: "The fields in which the object differs from what is to be placed.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"field":     text("Path for reading, with elements of lists named by their key where they have one."),
				"path":      text("JSON pointer into the object on the cluster."),
				"in_hub":    text("Value that is to be placed, as JSON; null if absent. One of more than 4,096 bytes is told by its beginning, as a string."),
				"in_member": text("Value on the cluster, in the same form."),
				"manager":   text("Who wrote the value on the cluster: the field manager, and whether it is an autoscaler; empty if not known."),
			}},
		},
		"observed_diffs":  patchAttribute("The differences that the status will have, in KubeFleet's form."),
		"observed_drifts": patchAttribute("What others have changed, in KubeFleet's form, where the object is left so."),
	})
	return out, nil
}

func patchAttribute(description string) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Computed: true, MarkdownDescription: description,
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"path":            text("JSON pointer, with the indexes of lists."),
			"value_in_member": text("Value on the cluster, for reading; empty if absent."),
			"value_in_hub":    text("Value that is to be placed, for reading; empty if absent."),
		}},
	}
}
