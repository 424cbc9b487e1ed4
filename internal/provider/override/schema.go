package override

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/enum"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/labelselector"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/planonly"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/validate"
)

const orderDescription = "Overrides apply in this order: first every `fleet_cluster_resource_override` that selects the object, by name, then every " +
	"`fleet_resource_override`, by namespace and name; within each override, the rules in their order. Values can contain `${MEMBER-CLUSTER-NAME}` " +
	"and `${MEMBER-CLUSTER-LABEL-KEY-<label key>}` (in HCL `$${...}`).\n\n" +
	"Let placements depend on their overrides (`depends_on`), so that one apply writes both.\n\n" +
	"Engine `direct`: every configured member stores a record of the override in `fleet-system`. Sensitive values and values for Secrets are stored " +
	"in a Secret.\n\nEngine `kubeadmiral`: overrides are not supported."

// baseAttributes returns the attributes that both kinds have.
func baseAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"name": schema.StringAttribute{
			Required: true, MarkdownDescription: "Name of the override.",
			Validators:    []validator.String{validate.ShortName()},
			PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
		},
		"placement":        placementAttribute(),
		"policy":           policyAttribute(),
		"missing_on":       missingAttribute(),
		planonly.Attribute: plannedChangesAttribute(),
	}
}

func placementAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true, MarkdownDescription: "The only placement that the override applies to. The default is all placements. It cannot be changed " +
			"later.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{Required: true, MarkdownDescription: "Name of the placement.", Validators: []validator.String{validate.ObjectName()}},
			"scope": schema.StringAttribute{
				Optional: true, MarkdownDescription: enum.OneOfWithDefault[override.Scope]() + ".",
			},
		},
	}
}

func missingAttribute() schema.ListAttribute {
	return schema.ListAttribute{
		Computed: true, ElementType: types.StringType,
		MarkdownDescription: "Members that did not respond, and may not have the override as configured. The next apply writes it there.",
	}
}

func policyAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Required: true, MarkdownDescription: "Rules of the override.",
		Attributes: map[string]schema.Attribute{
			"override_rules": schema.ListNestedAttribute{
				Required: true, MarkdownDescription: "Rules. All rules that match a cluster apply, in order. 1 to 20.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"cluster_selector": schema.SingleNestedAttribute{
						Optional: true, MarkdownDescription: "Clusters that the rule applies to. Without a selector: none. Without terms: all.",
						Attributes: map[string]schema.Attribute{
							"cluster_selector_terms": schema.ListNestedAttribute{
								Required: true, MarkdownDescription: "Terms. A cluster must match at least one of them. At most 10.",
								NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
									"label_selector": labelselector.Required("Labels of the cluster."),
								}},
							},
						},
					},
					"override_type": schema.StringAttribute{
						Optional: true, MarkdownDescription: "`JSONPatch` (the default) changes the object, `Delete` excludes it.",
					},
					"json_patch_overrides": schema.ListNestedAttribute{
						Optional: true, MarkdownDescription: "Operations of a JSON patch (RFC 6902). 1 to 20, for `JSONPatch` only.",
						NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
							"op": schema.StringAttribute{
								Required: true, MarkdownDescription: enum.OneOf[override.Operation]() + ".",
							},
							"path": schema.StringAttribute{Required: true, MarkdownDescription: "JSON pointer, such as `/spec/replicas`."},
							"value": schema.StringAttribute{
								Optional: true,
								MarkdownDescription: "The value as JSON text: `jsonencode(3)`, `jsonencode(\"eu-$${MEMBER-CLUSTER-NAME}\")`. Plans show it. `planned_changes` shows it " +
									"even if it comes from a sensitive variable.",
							},
							"value_sensitive": schema.StringAttribute{
								Optional: true, Sensitive: true,
								MarkdownDescription: "The value, instead of `value`, if no plan may show it, such as the data of a Secret. Plans and " +
									"previews mask it. A generated configuration has `null`. The Terraform state has it. Engine `direct`: the status " +
									"also masks it, and the members store the override in a Secret. Engine `kubefleet`: the hub stores the value in " +
									"the override, readable with the right to read overrides there, and its status and messages can repeat the value. " +
									"Apply the placements in the run that removes the override: a later plan shows the value that the cluster still " +
									"has, except in a Secret.",
							},
						}},
					},
				}},
			},
		},
	}
}

// selectorsAttribute returns the schema of selectors that select objects by name.
func selectorsAttribute(description string) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Required: true, MarkdownDescription: description,
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"group":   schema.StringAttribute{Required: true, MarkdownDescription: "API group; `\"\"` for the core group."},
			"version": schema.StringAttribute{Required: true, MarkdownDescription: "API version."},
			"kind":    schema.StringAttribute{Required: true, MarkdownDescription: "Kind."},
			"name":    schema.StringAttribute{Required: true, MarkdownDescription: "Name.", Validators: []validator.String{validate.AnyObjectName()}},
		}},
	}
}

// schemaVersion is 1 since `value` is no longer sensitive.
const schemaVersion = 1

func clusterSchema() schema.Schema {
	attributes := baseAttributes()
	attributes["cluster_resource_selectors"] = selectorsAttribute("Cluster-scoped objects, by name. A Namespace includes everything in it.")
	return schema.Schema{
		Version: schemaVersion,
		MarkdownDescription: "Changes cluster-scoped objects, or all objects in a namespace, for some clusters: KubeFleet's " +
			"`ClusterResourceOverride`.\n\n" + orderDescription,
		Attributes: attributes,
	}
}

func namespacedSchema() schema.Schema {
	attributes := baseAttributes()
	attributes["namespace"] = schema.StringAttribute{
		Required: true, MarkdownDescription: "Namespace of the override and of the objects that it selects.",
		Validators:    validate.PlacedNamespace(),
		PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
	}
	attributes["resource_selectors"] = selectorsAttribute("Objects in the override's namespace, by name.")
	return schema.Schema{
		Version:             schemaVersion,
		MarkdownDescription: "Changes objects of a namespace for some clusters: KubeFleet's `ResourceOverride`.\n\n" + orderDescription,
		Attributes:          attributes,
	}
}
