package crp

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int32validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/validate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/yamltext"
)

// Schema describes the resource.
func (*Resource) Schema(ctx context.Context, _ resource.SchemaRequest, response *resource.SchemaResponse) {
	response.Schema = resourceSchema(ctx)
}

func resourceSchema(ctx context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Places objects on clusters of the fleet. The arguments are the fields of KubeFleet's `ClusterResourcePlacement` in " +
			"snake_case, with the same shapes and defaults.\n\n" +
			"The plan looks at every cluster that the placement is predicted to land on and warns about objects that exist there already: whose " +
			"they are, in which fields they differ, and what `strategy.apply_strategy.when_to_take_over` will do about them.\n\n" +
			"A placement that cannot be completed on some clusters does not fail when it is created: what is missing, and why, stands in " +
			"`status` and in a warning, and the next apply goes on. On update it is an error; see `wait.on_failure`.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Required: true, MarkdownDescription: "Name of the placement, at most 63 characters.",
				Validators:    []validator.String{validate.ObjectName(), stringvalidator.LengthAtMost(63)},
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"resource_selectors": selectorsSchema(),
			"manifests": schema.MapAttribute{
				Optional: true, ElementType: yamltext.Type{},
				MarkdownDescription: "Objects to place, as YAML texts with one or more documents. The selectors apply to them too; without any " +
					"`resource_selectors` all of them are placed. In the `direct` engine only. Secrets in them are kept on the members in a Secret, and " +
					"in the Terraform state as everything that is configured is.",
				Validators:    []validator.Map{mapvalidator.SizeAtLeast(1)},
				PlanModifiers: []planmodifier.Map{yamltext.KeepEquivalent()},
			},
			"policy":   policySchema(),
			"strategy": strategySchema(),
			"revision_history_limit": schema.Int32Attribute{
				Optional: true, MarkdownDescription: "How many revisions a hub keeps, 1 to 1000; the default is 10. The `direct` engine keeps one.",
				Validators: []validator.Int32{int32validator.Between(1, 1000)},
			},
			"status_reporting_scope": schema.StringAttribute{
				Optional: true, MarkdownDescription: "`ClusterScopeOnly` (the default) or `NamespaceAccessible`.",
				Validators: []validator.String{stringvalidator.OneOf("ClusterScopeOnly", "NamespaceAccessible")},
			},
			"on_takeover_conflict": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "What an object means that exists already and will not be taken over: `warn` (the default) tells it in the plan, " +
					"`error` makes the plan fail.",
				Validators: []validator.String{stringvalidator.OneOf("warn", "error")},
			},
			"expected_preview": schema.StringAttribute{
				Optional: true, WriteOnly: true,
				MarkdownDescription: "The `digest` of a `data.fleet_placement_preview` of the same placement. Terraform reads that data source when it plans, so " +
					"the apply knows what the reviewer saw: an existing object that the preview did not show, or that has come to differ since, is not " +
					"taken over, whatever `when_to_take_over` says, but reported as a conflict. Not stored in the state; needs Terraform 1.11 or OpenTofu 1.11.",
			},
			"wait": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "What an apply waits for.",
				Attributes: map[string]schema.Attribute{
					"until": schema.StringAttribute{
						Optional: true, MarkdownDescription: "`Available` (the default) waits until every object is available, `Applied` until it is written.",
						Validators: []validator.String{stringvalidator.OneOf("Applied", "Available")},
					},
					"on_failure": schema.StringAttribute{
						Optional: true,
						MarkdownDescription: "What an apply that could not be completed is: `warn` or `error`. The default is `warn` on create, because an " +
							"error would make Terraform replace the whole placement the next time, and `error` on update.",
						Validators: []validator.String{stringvalidator.OneOf("warn", "error")},
					},
				},
			},
			"timeouts": timeoutsSchema(ctx),
			"status":   statusSchema(),
		},
	}
}

func timeoutsSchema(ctx context.Context) schema.Attribute {
	const description = "How long to wait, such as `30m`. The default is 10 minutes."
	attribute := timeouts.Attributes(ctx, timeouts.Opts{
		Create: true, CreateDescription: description, Update: true, UpdateDescription: description, Delete: true, DeleteDescription: description,
	})
	if nested, ok := attribute.(schema.SingleNestedAttribute); ok {
		nested.MarkdownDescription = "How long operations may take."
		return nested
	}
	return attribute
}

func selectorsSchema() schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Optional: true, MarkdownDescription: "Which objects to place; what one of the selectors matches is placed. 1 to 100.",
		Validators: []validator.List{listvalidator.SizeBetween(1, 100)},
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"group":          schema.StringAttribute{Required: true, MarkdownDescription: "API group; `\"\"` is Kubernetes' core."},
			"version":        schema.StringAttribute{Required: true, MarkdownDescription: "API version."},
			"kind":           schema.StringAttribute{Required: true, MarkdownDescription: "Kind, as in `Namespace`."},
			"name":           schema.StringAttribute{Optional: true, MarkdownDescription: "Name of one object."},
			"label_selector": labelSelectorSchema("Objects with these labels. Excludes `name`."),
			"selection_scope": schema.StringAttribute{
				Optional: true, MarkdownDescription: "What a selected Namespace brings with it: " + oneOf(placement.SelectionScope("").Values()) + ".",
				Validators: []validator.String{stringvalidator.OneOf(placement.SelectionScope("").Values()...)},
			},
		}},
	}
}

func labelSelectorSchema(description string) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true, MarkdownDescription: description,
		Attributes: map[string]schema.Attribute{
			"match_labels": schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Labels and their values."},
			"match_expressions": schema.ListNestedAttribute{
				Optional: true, MarkdownDescription: "Expressions that must all hold.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"key": schema.StringAttribute{Required: true, MarkdownDescription: "Label key."},
					"operator": schema.StringAttribute{
						Required: true, MarkdownDescription: "`In`, `NotIn`, `Exists` or `DoesNotExist`.",
						Validators: []validator.String{stringvalidator.OneOf("In", "NotIn", "Exists", "DoesNotExist")},
					},
					"values": schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Values for `In` and `NotIn`."},
				}},
			},
		},
	}
}

// oneOf lists values in Markdown, the default first.
func oneOf(values []string) string {
	out := ""
	for i, value := range values {
		switch i {
		case 0:
			out = "`" + value + "` (the default)"
		case len(values) - 1:
			out += " or `" + value + "`"
		default:
			out += ", `" + value + "`"
		}
	}
	return out
}

func attributeType(ctx context.Context, attribute string) attr.Type {
	return resourceSchema(ctx).Attributes[attribute].GetType()
}
