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

const orderDescription = "If several overrides select an object, they apply in this order:\n\n1. Every `fleet_cluster_resource_override`, sorted by " +
	"name.\n2. Every `fleet_resource_override`, sorted by namespace and name.\n\nThe rules of each override apply in their order. Values can contain " +
	"`${MEMBER-CLUSTER-NAME}` and `${MEMBER-CLUSTER-LABEL-KEY-<label key>}` (in HCL `$${...}`).\n\nLet placements depend on their overrides " +
	"(`depends_on`): then the plan of a placement shows what an override changes, and the same apply writes the override and the changed objects.\n\n| engine | where the override is stored |\n|---|---|\n| `direct` | As a record in " +
	"`fleet-system` of every configured member. Sensitive values and values for Secrets are in a Secret. |\n| `kubefleet` | As an object on the hub. " +
	"|\n| `kubeadmiral` | Overrides are not supported. |"

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
				Optional: true, MarkdownDescription: enum.OneOfWithDefault[override.Scope]() + ". `Cluster` is a `fleet_crp`. `Namespaced` is a " +
					"`fleet_resource_placement` in the namespace of the override.",
			},
		},
	}
}

func missingAttribute() schema.ListAttribute {
	return schema.ListAttribute{
		Computed: true, ElementType: types.StringType,
		MarkdownDescription: "Members that did not respond to the last apply. They may lack the override or have an earlier version of it. The next " +
			"apply writes the override there.",
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
						Optional: true, MarkdownDescription: "Clusters that the rule applies to. Without a selector, the rule applies to no cluster. " +
							"Without terms, it applies to all clusters.",
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
								MarkdownDescription: "Use this argument instead of `value` if no plan may show the value, such as the data of a " +
									"Secret. Plans and previews mask it. The Terraform state contains it. A generated configuration has `null`. " +
									"Engine `direct`: the status also masks the value, and the members store the override in a Secret. Engine " +
									"`kubefleet`: the hub stores the value in the override itself, so everyone who can read overrides there can read " +
									"it. The status and messages of the hub can repeat it. When you remove the override, apply its placements in the " +
									"same run: a later plan would show the value that is still on the cluster, unless it is in a Secret.",
							},
						}},
					},
				}},
			},
		},
	}
}

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
