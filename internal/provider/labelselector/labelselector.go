// Package labelselector has the Terraform representation of label selectors.
package labelselector

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/enum"
)

// Model is the Terraform representation of a label selector.
type Model struct {
	MatchLabels      map[string]string `tfsdk:"match_labels"`
	MatchExpressions []expression      `tfsdk:"match_expressions"`
}

type expression struct {
	Key      string                  `tfsdk:"key"`
	Operator placement.LabelOperator `tfsdk:"operator"`
	Values   []string                `tfsdk:"values"`
}

// Optional returns the schema of an optional label selector.
func Optional(description string) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{Optional: true, MarkdownDescription: description, Attributes: attributes()}
}

// Required returns the schema of a required label selector. The selector may be empty.
func Required(description string) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{Required: true, MarkdownDescription: description, Attributes: attributes()}
}

func attributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"match_labels": schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Labels and their values."},
		"match_expressions": schema.ListNestedAttribute{
			Optional: true, MarkdownDescription: "Expressions that must all hold.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"key": schema.StringAttribute{Required: true, MarkdownDescription: "Label key."},
				"operator": schema.StringAttribute{
					Required: true, MarkdownDescription: enum.OneOf[placement.LabelOperator]() + ".",
				},
				"values": schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Values for `In` and `NotIn`."},
			}},
		},
	}
}

// Expand converts the model to the value of the API. It returns nil for nil.
func (m *Model) Expand() *metav1.LabelSelector {
	if m == nil {
		return nil
	}
	return &metav1.LabelSelector{
		MatchLabels: m.MatchLabels,
		MatchExpressions: convert.Each(m.MatchExpressions, func(e expression) metav1.LabelSelectorRequirement {
			return metav1.LabelSelectorRequirement{Key: e.Key, Operator: metav1.LabelSelectorOperator(e.Operator), Values: e.Values}
		}),
	}
}

// Flatten converts the value of the API to the model. It returns nil for nil.
func Flatten(s *metav1.LabelSelector) *Model {
	if s == nil {
		return nil
	}
	return &Model{
		MatchLabels: s.MatchLabels,
		MatchExpressions: convert.Each(s.MatchExpressions, func(e metav1.LabelSelectorRequirement) expression {
			return expression{Key: e.Key, Operator: placement.LabelOperator(e.Operator), Values: e.Values}
		}),
	}
}
