package placement

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/ignore"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/validate"
)

type ignoreRuleModel struct {
	Kind      *string  `tfsdk:"kind"`
	Namespace *string  `tfsdk:"namespace"`
	Name      *string  `tfsdk:"name"`
	Fields    []string `tfsdk:"fields"`
}

func ignoreFieldsAttribute() schema.ListNestedAttribute {
	selector := func(what string, validators ...validator.String) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: what + " of the objects. Omit it to select any.", Validators: validators}
	}
	return schema.ListNestedAttribute{
		Optional: true,
		MarkdownDescription: "Fields that others write, such as the replicas of an autoscaled Deployment. The provider sets them when it creates an " +
			"object. After that, the provider ignores them: an apply does not update them, and no plan or status reports a difference. " +
			"Engine `direct` only.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"kind": selector("Kind"), "namespace": selector("Namespace", validate.Namespace()), "name": selector("Name", validate.AnyObjectName()),
			"fields": schema.SetAttribute{
				Required: true, ElementType: types.StringType,
				MarkdownDescription: "Paths in the format of plans: `spec.replicas`, `metadata.annotations[\"example.com/a\"]`, " +
					"`spec.template.spec.containers[name=web].image`. A path covers everything in the field.",
			},
		}},
	}
}

// IgnoreRules returns the rules of ignore_fields. Everything must be known.
func (a Arguments) IgnoreRules(ctx context.Context, diags *diag.Diagnostics) ignore.Rules {
	return convert.Each(convert.FromList[ignoreRuleModel](ctx, a.IgnoreFields, diags), func(m ignoreRuleModel) ignore.Rule {
		return ignore.Rule{Kind: convert.Value(m.Kind), Namespace: convert.Value(m.Namespace), Name: convert.Value(m.Name), Fields: m.Fields}
	})
}

func (a Arguments) validateIgnoreFields(ctx context.Context, diags *diag.Diagnostics) {
	convert.Problems(diags, "Invalid ignore_fields", a.IgnoreRules(ctx, diags).Validate())
}
