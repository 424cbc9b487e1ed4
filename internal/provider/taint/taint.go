// Package taint has the attribute for the taints of a member.
package taint

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/enum"
)

// Attribute returns the schema of the attribute.
func Attribute(description string) schema.SetNestedAttribute {
	return schema.SetNestedAttribute{
		Optional: true, MarkdownDescription: description,
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"key":   schema.StringAttribute{Required: true, MarkdownDescription: "Key of the taint."},
			"value": schema.StringAttribute{Optional: true, MarkdownDescription: "Value of the taint."},
			"effect": schema.StringAttribute{
				Required: true, MarkdownDescription: "Effect of the taint: " + enum.OneOf[placement.TaintEffect]() + ".",
			},
		}},
	}
}

// Model is an element of the attribute.
type Model struct {
	Key    string                `tfsdk:"key"`
	Value  *string               `tfsdk:"value"`
	Effect placement.TaintEffect `tfsdk:"effect"`
}

// Expand returns the taint.
func (m Model) Expand() member.Taint {
	return member.Taint{Key: m.Key, Value: convert.Value(m.Value), Effect: m.Effect}
}

// Flatten returns the element for a taint.
func Flatten(t member.Taint) Model {
	return Model{Key: t.Key, Value: convert.Optional(t.Value), Effect: t.Effect}
}
