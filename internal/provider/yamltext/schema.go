package yamltext

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// DigestsAttribute returns the schema of an attribute that shows which objects change in a sensitive attribute with manifests.
func DigestsAttribute() schema.MapAttribute {
	return schema.MapAttribute{
		Computed: true, ElementType: types.StringType,
		MarkdownDescription: "The objects in `manifests`, such as `ConfigMap web/settings`, with a short hash of each, so a plan shows which objects " +
			"change. More than ten objects of one kind and namespace have one entry, such as `ConfigMap web/*`. The hash does not include the values of " +
			"Secrets. Instead, the entry of a Secret ends with a number that counts their versions, as in `(secret values: version 2)`.",
	}
}

// MaskedAttribute returns the schema of an attribute that shows what changes in a sensitive attribute with manifests.
func MaskedAttribute() schema.MapAttribute {
	return schema.MapAttribute{
		Computed: true, ElementType: MaskedType,
		MarkdownDescription: "`manifests` with the values of Secrets masked, so a plan shows what changes. The number in a masked value counts how " +
			"often the value has changed.",
	}
}
