package placementstatus

import (
	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/enum"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identifier"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/validate"
)

func text(description string) schema.StringAttribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

func texts(description string) schema.ListAttribute {
	return schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
}

func (query) Schema() (datasource.Schema, error) {
	attributes, err := convert.DataSource(map[string]schema.Attribute{
		"name": schema.StringAttribute{Required: true, MarkdownDescription: "Name of the placement.", Validators: []validator.String{validate.ObjectName()}},
		"namespace": schema.StringAttribute{
			Optional: true, MarkdownDescription: "Namespace of a `fleet_resource_placement`. Omit it for a `fleet_crp`.",
			Validators: []validator.String{validate.Namespace()},
		},
		"wait_for": waitAttribute(), "spec": specAttribute(), "status": statusAttribute(),
	})
	return datasource.Schema{
		MarkdownDescription: "The complete current status of a placement, in the structure of KubeFleet's `ClusterResourcePlacement`. It includes " +
			"every condition with its message, and the selected objects. For each cluster, it includes the applicable overrides, and the failed, " +
			"drifted and diffed objects with their fields. The resource `fleet_crp` stores only a summary in the state.\n\nThe data source reads the " +
			"placement by name, even if another configuration created it, and can wait for a condition. Use it in `check` blocks. If the data source " +
			"lists the resource in `depends_on`, Terraform reads it after the apply that changes the placement. Otherwise, Terraform reads it during " +
			"the plan. The status contains no values of Secrets.",
		Attributes: attributes,
	}, err
}

func waitAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true, MarkdownDescription: "Waits until a condition of the placement is `True`, and fails after the timeout.",
		Attributes: map[string]schema.Attribute{
			"condition": schema.StringAttribute{
				Required: true, MarkdownDescription: "Type of the condition: " + enum.OneOf[domain.ConditionType]() + ".",
				Validators: enum.Validators[domain.ConditionType](),
			},
			"timeout": schema.StringAttribute{
				Optional: true, MarkdownDescription: "How long to wait, such as `30s` or `5m`, which is the default.",
				Validators: []validator.String{validate.String("duration", validate.Duration)},
			},
		},
	}
}

func specAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Computed: true, MarkdownDescription: "Spec of the last apply, with defaults.",
		Attributes: map[string]schema.Attribute{
			"placement_type":     text(enum.OneOf[domain.PlacementType]() + "."),
			"number_of_clusters": schema.Int32Attribute{Computed: true, MarkdownDescription: "Number of clusters that `PickN` picks; null otherwise."},
			"cluster_names":      texts("The clusters that `PickFixed` names."),
			"strategy_type":      text(enum.OneOf[domain.StrategyType]() + "."),
			"apply_type":         text(enum.OneOf[domain.ApplyType]() + "."),
			"comparison_option":  text(enum.OneOf[domain.ComparisonOption]() + "."),
			"when_to_apply":      text(enum.OneOf[domain.WhenToApply]() + "."),
			"when_to_take_over":  text(enum.OneOf[domain.WhenToTakeOver]() + "."),
			"manifests":          texts("Keys of the `manifests`, sorted."),
			"resource_selectors": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "Selectors of the placement.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"group": text("API group; empty for the core group."), "version": text("API version."), "kind": text("Kind."),
					"name": text("Name; empty if the selector selects objects by labels, or all objects of the kind."),
				}},
			},
		},
	}
}

func statusAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Computed: true, MarkdownDescription: "Status of the placement, with the reasons of KubeFleet.",
		Attributes: map[string]schema.Attribute{
			"observed_resource_index": text("Index of the placed content, counted from `0`."),
			"hub_uid":                 text("UID of the hub's `kube-system` namespace, which identifies the hub; empty without a hub."),
			"unfilled": schema.Int64Attribute{
				Computed: true, MarkdownDescription: "Number of clusters that are missing: `number_of_clusters` minus the number of clusters that the scheduler could pick.",
			},
			"conditions": conditionsAttribute("Conditions of the placement by type, such as `ClusterResourcePlacementApplied`."),
			"selected_resources": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The objects that the selectors pick. An envelope represents the objects in it.",
				NestedObject: schema.NestedAttributeObject{Attributes: identifier.Attributes()},
			},
			"placement_statuses": schema.MapNestedAttribute{
				Computed: true, MarkdownDescription: "The state on each cluster, by cluster name.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"cluster_name":            text("Name of the cluster."),
					"cluster_uid":             text("UID of the cluster's `kube-system` namespace."),
					"observed_resource_index": text("Index of the content on the cluster; empty if the cluster never had one."),
					"phase": text("Phase of the placement on the cluster: " + enum.OneOf[domain.Phase]() +
						", or another reason from KubeFleet."),
					"applicable_cluster_resource_overrides": texts("Names of the ClusterResourceOverrides that apply to objects for the cluster."),
					"applicable_resource_overrides": schema.ListNestedAttribute{
						Computed: true, MarkdownDescription: "The ResourceOverrides that apply to objects for the cluster.",
						NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
							"namespace": text("Namespace of the override."), "name": text("Name of the override."),
						}},
					},
					"conditions": conditionsAttribute("Conditions on the cluster by type: " + enum.OneOf[domain.ConditionType]() + ". With " +
						"`type = \"ReportDiff\"`, `DiffReported` replaces `Applied` and `Available`."),
					"failed_placements": schema.ListNestedAttribute{
						Computed: true, MarkdownDescription: "Objects that are not applied or not available, and why.",
						NestedObject: schema.NestedAttributeObject{Attributes: failedAttributes()},
					},
					"drifted_placements": schema.ListNestedAttribute{
						Computed: true,
						MarkdownDescription: "Objects that others have changed since they were applied, at most 100. With `when_to_apply = " +
							"\"IfNotDrifted\"`, they remain unchanged. With `comparison_option = \"FullComparison\"`, the drifts include fields that " +
							"others have added.",
						NestedObject: schema.NestedAttributeObject{Attributes: observedAttributes("drift")},
					},
					"diffed_placements": schema.ListNestedAttribute{
						Computed: true,
						MarkdownDescription: "Objects that differ from the objects to be placed, at most 100. With `type = \"ReportDiff\"`, these are " +
							"all objects with differences, and otherwise those that `when_to_take_over = \"IfNoDiff\"` does not take over.",
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
		"type":                text("Type of the condition."),
		"status":              text("`True`, `False` or `Unknown`."),
		"reason":              text("Reason, in one word."),
		"message":             text("Message."),
		"observed_generation": schema.Int64Attribute{Computed: true, MarkdownDescription: "Generation of the object for which the condition was set."},
	}
}

// observedAttributes returns the attributes of an object with drifts or diffs. what is "drift" or "diff".
func observedAttributes(what string) map[string]schema.Attribute {
	out := identifier.Attributes()
	out["observation_time"] = schema.StringAttribute{
		Computed: true, MarkdownDescription: "When the current differences were observed, in RFC 3339.",
	}
	out["first_"+what+"ed_observed_time"] = schema.StringAttribute{
		Computed: true, MarkdownDescription: "When the object was first observed to differ, in RFC 3339. It has differed since.",
	}
	out["target_cluster_observed_generation"] = schema.Int64Attribute{
		Computed: true, MarkdownDescription: "Generation of the object on the cluster; 0 if it does not exist.",
	}
	out["observed_"+what+"s"] = schema.ListNestedAttribute{
		Computed: true, MarkdownDescription: "Differences, at most 100 fields, in KubeFleet's form. Values of Secrets are never shown.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"path":            text("JSON pointer to the field; lists are compared by index."),
			"value_in_member": text("Value on the cluster, for display; empty if the field is absent."),
			"value_in_hub":    text("Value to be placed, for display; empty if the field is absent."),
		}},
	}
	return out
}

func failedAttributes() map[string]schema.Attribute {
	out := identifier.Attributes()
	out["condition"] = schema.SingleNestedAttribute{
		Computed: true, MarkdownDescription: "The condition that is not met.", Attributes: conditionAttributes(),
	}
	return out
}
