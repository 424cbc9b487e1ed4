package yamltext

import "github.com/hashicorp/terraform-plugin-framework/resource/schema"

// MaskedAttribute shows in a plan what changes in an attribute with manifests, which is sensitive.
func MaskedAttribute() schema.MapAttribute {
	return schema.MapAttribute{
		Computed: true, ElementType: MaskedType,
		MarkdownDescription: "`manifests` as they are written, but with the values of Secrets masked, so that a plan shows what changes. The number in " +
			"a mark counts how often the value has changed.",
	}
}
