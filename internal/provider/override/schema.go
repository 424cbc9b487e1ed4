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
	"`fleet_resource_override`, by namespace and name; in each of them the rules from the first to the last. Values may hold " +
	"`${MEMBER-CLUSTER-NAME}` and `${MEMBER-CLUSTER-LABEL-KEY-<label key>}` (in HCL `$${...}`).\n\n" +
	"In the `direct` engine every configured member keeps a record of the override in `fleet-system`; sensitive values and those for Secrets are kept in a Secret. Make placements depend on their overrides " +
	"(`depends_on`), so that one apply brings both. With the engine `kubeadmiral` there are none."

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
		Optional: true, MarkdownDescription: "The only placement that the override is for; left out, it is for all. It cannot be changed later.",
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
		MarkdownDescription: "Members that did not respond, so that they may not have the override as configured. The next apply writes it there.",
	}
}

func policyAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Required: true, MarkdownDescription: "What is different where.",
		Attributes: map[string]schema.Attribute{
			"override_rules": schema.ListNestedAttribute{
				Required: true, MarkdownDescription: "Rules; all that match a cluster apply, the first one first. 1 to 20.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"cluster_selector": schema.SingleNestedAttribute{
						Optional: true, MarkdownDescription: "On which clusters. Left out, on none; without terms, on all.",
						Attributes: map[string]schema.Attribute{
							"cluster_selector_terms": schema.ListNestedAttribute{
								Required: true, MarkdownDescription: "Terms; a cluster that matches one of them matches. At most 10.",
								NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
									"label_selector": labelselector.Required("Labels of the cluster."),
								}},
							},
						},
					},
					"override_type": schema.StringAttribute{
						Optional: true, MarkdownDescription: "`JSONPatch` (the default) changes the object, `Delete` leaves it out.",
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
								MarkdownDescription: "The value, instead of `value`, if no plan may show it, such as the data of a Secret. Plans and previews mask it. " +
									"With the engine `direct`, the status masks it, too. A generated configuration has `null`. The Terraform state has it. With the engine `direct`, the members keep the override in a Secret. A hub " +
									"of KubeFleet keeps the value in the override, readable by everybody who may read overrides there, and its status and messages can repeat the value. " +
									"Apply the placements in the run that removes the override: a later plan shows the value that the cluster still has, except in a Secret.",
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
			"group":   schema.StringAttribute{Required: true, MarkdownDescription: "API group; `\"\"` is Kubernetes' core."},
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
	attributes["cluster_resource_selectors"] = selectorsAttribute("Cluster-scoped objects, by name. A Namespace stands for itself and everything in it.")
	return schema.Schema{
		Version: schemaVersion,
		MarkdownDescription: "Makes cluster-scoped objects, or everything in a namespace, differ from cluster to cluster: KubeFleet's " +
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
		MarkdownDescription: "Makes objects of a namespace differ from cluster to cluster: KubeFleet's `ResourceOverride`.\n\n" + orderDescription,
		Attributes:          attributes,
	}
}
