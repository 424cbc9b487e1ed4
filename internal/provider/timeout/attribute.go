// Package timeout contains the argument timeouts of resources.
package timeout

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/validate"
)

// Attribute returns the schema of the timeouts of operations, with validators. The model of the resource has a field of type [timeouts.Value]. The
// timeouts are not sent to clusters: if only they change, an apply writes nothing to a cluster.
func Attribute(ctx context.Context, operations timeouts.Opts) schema.Attribute {
	attribute := timeouts.Attributes(ctx, operations)
	nested, ok := attribute.(schema.SingleNestedAttribute)
	if !ok {
		return attribute
	}
	nested.MarkdownDescription = "Timeouts of operations."
	for name, operation := range nested.Attributes {
		if text, ok := operation.(schema.StringAttribute); ok {
			text.Validators = []validator.String{validate.String("duration", validate.Duration)}
			nested.Attributes[name] = text
		}
	}
	return nested
}
