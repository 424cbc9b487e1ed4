package convert

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	resource "github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// DataSource converts attributes of a resource to attributes of a data source. It keeps the types, descriptions and validators, and omits the plan
// modifiers and defaults, which only resources have. It returns an error for a kind of attribute that no resource of this provider uses yet.
func DataSource(in map[string]resource.Attribute) (map[string]schema.Attribute, error) {
	out := make(map[string]schema.Attribute, len(in))
	for name, attribute := range in {
		converted, err := dataSourceAttribute(attribute)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[name] = converted
	}
	return out, nil
}

func dataSourceAttribute(in resource.Attribute) (schema.Attribute, error) {
	switch in := in.(type) {
	case resource.StringAttribute:
		return schema.StringAttribute{
			Required: in.Required, Optional: in.Optional, Computed: in.Computed,
			Sensitive: in.Sensitive, CustomType: in.CustomType,
			Description: in.Description, MarkdownDescription: in.MarkdownDescription, Validators: in.Validators,
		}, nil
	case resource.BoolAttribute:
		return schema.BoolAttribute{
			Required: in.Required, Optional: in.Optional, Computed: in.Computed,
			Sensitive: in.Sensitive, CustomType: in.CustomType,
			Description: in.Description, MarkdownDescription: in.MarkdownDescription, Validators: in.Validators,
		}, nil
	case resource.Int32Attribute:
		return schema.Int32Attribute{
			Required: in.Required, Optional: in.Optional, Computed: in.Computed,
			Sensitive: in.Sensitive, CustomType: in.CustomType,
			Description: in.Description, MarkdownDescription: in.MarkdownDescription, Validators: in.Validators,
		}, nil
	case resource.Int64Attribute:
		return schema.Int64Attribute{
			Required: in.Required, Optional: in.Optional, Computed: in.Computed,
			Sensitive: in.Sensitive, CustomType: in.CustomType,
			Description: in.Description, MarkdownDescription: in.MarkdownDescription, Validators: in.Validators,
		}, nil
	case resource.ListAttribute:
		return schema.ListAttribute{
			Required: in.Required, Optional: in.Optional, Computed: in.Computed,
			Sensitive: in.Sensitive, CustomType: in.CustomType, ElementType: in.ElementType,
			Description: in.Description, MarkdownDescription: in.MarkdownDescription, Validators: in.Validators,
		}, nil
	case resource.SetAttribute:
		return schema.SetAttribute{
			Required: in.Required, Optional: in.Optional, Computed: in.Computed,
			Sensitive: in.Sensitive, CustomType: in.CustomType, ElementType: in.ElementType,
			Description: in.Description, MarkdownDescription: in.MarkdownDescription, Validators: in.Validators,
		}, nil
	case resource.MapAttribute:
		return schema.MapAttribute{
			Required: in.Required, Optional: in.Optional, Computed: in.Computed,
			Sensitive: in.Sensitive, CustomType: in.CustomType, ElementType: in.ElementType,
			Description: in.Description, MarkdownDescription: in.MarkdownDescription, Validators: in.Validators,
		}, nil
	default:
		return dataSourceNested(in)
	}
}

func dataSourceNested(in resource.Attribute) (schema.Attribute, error) {
	switch in := in.(type) {
	case resource.SingleNestedAttribute:
		nested, err := DataSource(in.Attributes)
		return schema.SingleNestedAttribute{
			Required: in.Required, Optional: in.Optional, Computed: in.Computed,
			Sensitive: in.Sensitive, CustomType: in.CustomType, Attributes: nested,
			Description: in.Description, MarkdownDescription: in.MarkdownDescription, Validators: in.Validators,
		}, err
	case resource.ListNestedAttribute:
		nested, err := DataSource(in.NestedObject.Attributes)
		return schema.ListNestedAttribute{
			Required: in.Required, Optional: in.Optional, Computed: in.Computed,
			Sensitive: in.Sensitive, CustomType: in.CustomType,
			NestedObject: schema.NestedAttributeObject{
				Attributes: nested, CustomType: in.NestedObject.CustomType, Validators: in.NestedObject.Validators,
			},
			Description: in.Description, MarkdownDescription: in.MarkdownDescription, Validators: in.Validators,
		}, err
	case resource.SetNestedAttribute:
		nested, err := DataSource(in.NestedObject.Attributes)
		return schema.SetNestedAttribute{
			Required: in.Required, Optional: in.Optional, Computed: in.Computed,
			Sensitive: in.Sensitive, CustomType: in.CustomType,
			NestedObject: schema.NestedAttributeObject{
				Attributes: nested, CustomType: in.NestedObject.CustomType, Validators: in.NestedObject.Validators,
			},
			Description: in.Description, MarkdownDescription: in.MarkdownDescription, Validators: in.Validators,
		}, err
	case resource.MapNestedAttribute:
		nested, err := DataSource(in.NestedObject.Attributes)
		return schema.MapNestedAttribute{
			Required: in.Required, Optional: in.Optional, Computed: in.Computed,
			Sensitive: in.Sensitive, CustomType: in.CustomType,
			NestedObject: schema.NestedAttributeObject{
				Attributes: nested, CustomType: in.NestedObject.CustomType, Validators: in.NestedObject.Validators,
			},
			Description: in.Description, MarkdownDescription: in.MarkdownDescription, Validators: in.Validators,
		}, err
	default:
		return nil, fmt.Errorf("a data source cannot have a %T of a resource", in)
	}
}
