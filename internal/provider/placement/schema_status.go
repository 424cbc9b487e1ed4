package placement

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identifier"
)

func statusAttribute() schema.SingleNestedAttribute {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	return schema.SingleNestedAttribute{
		Computed: true, MarkdownDescription: "What came of the placement. Reasons are those of KubeFleet.",
		Attributes: map[string]schema.Attribute{
			"observed_resource_index": text("Counts the contents that were placed, from `0`."),
			"hub_uid":                 text("UID of the hub's `kube-system` namespace, by which the hub is recognised; empty without a hub."),
			"conditions":              conditionsAttribute("Conditions of the placement by type, such as `ClusterResourcePlacementApplied`."),
			"selected_resources": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The objects that the selectors pick. An envelope stands for what is in it.",
				NestedObject: schema.NestedAttributeObject{Attributes: identifier.Attributes("came")},
			},
			"placement_statuses": schema.MapNestedAttribute{
				Computed: true, MarkdownDescription: "The state on each cluster, by cluster name.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"cluster_name":            text("Name of the cluster."),
					"cluster_uid":             text("UID of the cluster's `kube-system` namespace."),
					"observed_resource_index": text("The content that the cluster has; empty if it never had any."),
					"conditions":              conditionsAttribute("Conditions on the cluster by type: `Scheduled`, `RolloutStarted`, `Overridden`, `WorkSynchronized`, `Applied`, `Available`; under `ReportDiff` `DiffReported` in place of the last two."),
					"failed_placements": schema.ListNestedAttribute{
						Computed: true, MarkdownDescription: "Objects that are not applied or not available, and why.",
						NestedObject: schema.NestedAttributeObject{Attributes: failedAttributes()},
					},
					"drifted_placements": schema.ListNestedAttribute{
						Computed: true,
						MarkdownDescription: "Objects that others have changed since they were applied, at most 100: with `when_to_apply = \"IfNotDrifted\"` they are " +
							"left so, with `comparison_option = \"FullComparison\"` what others have added is told.",
						NestedObject: schema.NestedAttributeObject{Attributes: observedAttributes("drift")},
					},
					"diffed_placements": schema.ListNestedAttribute{
						Computed: true,
						MarkdownDescription: "Objects that differ from what is to be placed, at most 100: with `type = \"ReportDiff\"`, and those that " +
							"`when_to_take_over = \"IfNoDiff\"` leaves alone.",
						NestedObject: schema.NestedAttributeObject{Attributes: observedAttributes("diff")},
					},
				}},
			},
		},
	}
}

func conditionsAttribute(description string) schema.MapNestedAttribute {
	return schema.MapNestedAttribute{
		Computed: true, MarkdownDescription: description,
		NestedObject: schema.NestedAttributeObject{Attributes: conditionAttributes()},
	}
}

func conditionAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"type":                schema.StringAttribute{Computed: true, MarkdownDescription: "Type of the condition."},
		"status":              schema.StringAttribute{Computed: true, MarkdownDescription: "`True`, `False` or `Unknown`."},
		"reason":              schema.StringAttribute{Computed: true, MarkdownDescription: "Reason, in one word."},
		"message":             schema.StringAttribute{Computed: true, MarkdownDescription: "What it means."},
		"observed_generation": schema.Int64Attribute{Computed: true, MarkdownDescription: "Generation of what the condition is about."},
	}
}

// observedAttributes are those of a drifted or a diffed object; what is "drift" or "diff".
func observedAttributes(what string) map[string]schema.Attribute {
	out := identifier.Attributes("came")
	out["observation_time"] = schema.StringAttribute{
		Computed: true, MarkdownDescription: "When it was found to be different as it is told here, in RFC 3339.",
	}
	out["first_"+what+"ed_observed_time"] = schema.StringAttribute{
		Computed: true, MarkdownDescription: "When it was first found to be different, and has been since, in RFC 3339.",
	}
	out["target_cluster_observed_generation"] = schema.Int64Attribute{
		Computed: true, MarkdownDescription: "Generation of the object on the cluster; 0 if there is none.",
	}
	out["observed_"+what+"s"] = schema.ListNestedAttribute{
		Computed: true, MarkdownDescription: "What is different, at most 100 fields, as KubeFleet tells it. Values of Secrets are never shown.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"path":            schema.StringAttribute{Computed: true, MarkdownDescription: "JSON pointer to the field; lists are compared by index."},
			"value_in_member": schema.StringAttribute{Computed: true, MarkdownDescription: "Value on the cluster, for reading; empty if the field is absent."},
			"value_in_hub":    schema.StringAttribute{Computed: true, MarkdownDescription: "Value that is to be placed, for reading; empty if the field is absent."},
		}},
	}
	return out
}

func failedAttributes() map[string]schema.Attribute {
	out := identifier.Attributes("came")
	out["condition"] = schema.SingleNestedAttribute{
		Computed: true, MarkdownDescription: "The condition that is not met.", Attributes: conditionAttributes(),
	}
	return out
}
