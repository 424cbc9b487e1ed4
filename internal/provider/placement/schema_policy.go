package placement

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/enum"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/labelselector"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/unordered"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/wholenumber"
)

func policyAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true, MarkdownDescription: "Which clusters to pick. The default is all eligible clusters (`PickAll`).",
		Attributes: map[string]schema.Attribute{
			"placement_type": schema.StringAttribute{
				Optional: true, MarkdownDescription: enum.OneOfWithDefault[domain.PlacementType]() + ". Engine `direct`: a change updates the placement in " +
					"place. Other engines: a change replaces the placement. Its objects are deleted and recreated, except those that remain according to " +
					"`strategy.delete_strategy`.",
			},
			"cluster_names": schema.ListAttribute{
				Optional: true, ElementType: types.StringType, MarkdownDescription: "Clusters for `PickFixed`, at most 100, in any order.",
				PlanModifiers: []planmodifier.List{unordered.KeepOrder()},
			},
			"number_of_clusters": schema.Int32Attribute{
				CustomType: wholenumber.Type{}, Optional: true, MarkdownDescription: "Number of clusters that `PickN` picks.",
			},
			"affinity": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "Required and preferred cluster affinity.",
				Attributes: map[string]schema.Attribute{
					"cluster_affinity": schema.SingleNestedAttribute{
						Optional: true, MarkdownDescription: "Cluster affinity.",
						Attributes: map[string]schema.Attribute{
							"required_during_scheduling_ignored_during_execution": schema.SingleNestedAttribute{
								Optional: true, MarkdownDescription: "Terms that a cluster must match to be picked.",
								Attributes: map[string]schema.Attribute{
									"cluster_selector_terms": schema.ListNestedAttribute{
										Optional: true, MarkdownDescription: "Terms. A cluster must match at least one of them. At most 10. Without " +
											"terms, every cluster matches.",
										NestedObject: schema.NestedAttributeObject{Attributes: termAttributes()},
									},
								},
							},
							"preferred_during_scheduling_ignored_during_execution": schema.ListNestedAttribute{
								Optional: true, MarkdownDescription: "Terms that raise the score of a cluster.",
								NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
									"weight": schema.Int32Attribute{
										CustomType: wholenumber.Type{}, Required: true, MarkdownDescription: "-100 to 100.",
									},
									"preference": schema.SingleNestedAttribute{
										Required: true, MarkdownDescription: "Clusters to match, or the property to sort by.", Attributes: termAttributes(),
									},
								}},
							},
						},
					},
				},
			},
			"topology_spread_constraints": schema.ListNestedAttribute{
				Optional: true, MarkdownDescription: "How evenly `PickN` spreads clusters over the values of a label.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"max_skew": schema.Int32Attribute{
						CustomType: wholenumber.Type{}, Optional: true, MarkdownDescription: "Largest difference in the number of picked clusters " +
							"between two values of the label. The default is 1.",
					},
					"topology_key": schema.StringAttribute{Required: true, MarkdownDescription: "Label key of the clusters."},
					"when_unsatisfiable": schema.StringAttribute{
						Optional: true, MarkdownDescription: enum.OneOfWithDefault[domain.WhenUnsatisfiable]() + ".",
					},
				}},
			},
			"tolerations": schema.SetNestedAttribute{
				Optional: true, MarkdownDescription: "Taints that the placement tolerates, at most 100. Engines `kubefleet` and `kubeadmiral`: a change can " +
					"only add tolerations.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"key": schema.StringAttribute{Optional: true, MarkdownDescription: "Key of the taint. Empty with `Exists` matches every key."},
					"operator": schema.StringAttribute{
						Optional: true, MarkdownDescription: enum.OneOfWithDefault[domain.TolerationOperator]() + ".",
					},
					"value": schema.StringAttribute{Optional: true, MarkdownDescription: "Value of the taint, for `Equal`."},
					"effect": schema.StringAttribute{
						Optional: true, MarkdownDescription: enum.OneOf[domain.TaintEffect]() + ". The default is every effect.",
					},
				}},
			},
		},
	}
}

func termAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"label_selector":    labelselector.Optional("Labels of the cluster."),
		"property_selector": PropertySelectorAttribute("Properties of the cluster, for required terms."),
		"property_sorter": schema.SingleNestedAttribute{
			Optional: true, MarkdownDescription: "Property that clusters are ranked by, for preferred terms.",
			Attributes: map[string]schema.Attribute{
				"name": schema.StringAttribute{Required: true, MarkdownDescription: "Name of the property."},
				"sort_order": schema.StringAttribute{
					Required: true, MarkdownDescription: enum.OneOf[domain.SortOrder]() + ".",
				},
			},
		},
	}
}

// PropertySelectorAttribute returns the schema of an optional PropertySelector.
func PropertySelectorAttribute(description string) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true, MarkdownDescription: description,
		Attributes: map[string]schema.Attribute{
			"match_expressions": schema.ListNestedAttribute{
				Required: true, MarkdownDescription: "Expressions that must all be true.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"name": schema.StringAttribute{
						Required: true, MarkdownDescription: "Name of the property, such as `resources.kubernetes-fleet.io/available-cpu`.",
					},
					"operator": schema.StringAttribute{
						Required: true, MarkdownDescription: enum.OneOf[domain.PropertyOperator]() + ".",
					},
					"values": schema.ListAttribute{Required: true, ElementType: types.StringType, MarkdownDescription: "One quantity."},
				}},
			},
		},
	}
}
