package placement

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/enum"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/labelselector"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/validate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/wholenumber"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/yamltext"
)

// Attributes returns the schema of Model.
func Attributes(ctx context.Context) map[string]schema.Attribute {
	out := BaseAttributes(ctx)
	maps.Copy(out, map[string]schema.Attribute{
		"manifests":        manifestsAttribute(),
		"ignore_fields":    ignoreFieldsAttribute(),
		"manifests_wo":     writeOnlyAttribute(),
		"manifest_digests": yamltext.DigestsAttribute(),
		"status_reporting_scope": schema.StringAttribute{
			Optional: true, MarkdownDescription: enum.OneOfWithDefault[domain.ReportingScope]() + ".",
		},
	})
	return out
}

// BaseAttributes returns the schema of Base.
func BaseAttributes(ctx context.Context) map[string]schema.Attribute {
	out := ArgumentAttributes()
	delete(out, "manifests")
	delete(out, "ignore_fields")
	maps.Copy(out, map[string]schema.Attribute{
		"revision_history_limit": schema.Int32Attribute{
			Optional: true, MarkdownDescription: "How many revisions a hub keeps, 1 to 1000; the default is 10. The `direct` engine keeps one, and a host of " +
				"KubeAdmiral none.",
			CustomType: wholenumber.Type{},
		},
		"on_takeover_conflict": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "How the plan reports a pre-existing object that will not be taken over: `Warn` (the default) is a warning, " +
				"`Error` makes the plan fail.",
			Validators: enum.Validators[Severity](),
		},
		"expected_preview": schema.StringAttribute{
			Optional: true, WriteOnly: true,
			MarkdownDescription: "The `digest` of a `data.fleet_placement_preview` of the same placement. Terraform reads that data source when it plans, so " +
				"the apply is held to what the reviewer saw: it takes over, updates, deletes and replaces only what that preview shows, and places only on the " +
				"clusters that it shows as picked. On a hub, the apply returns an error otherwise. Not stored in the state; needs Terraform 1.11 or OpenTofu 1.11.",
		},
		"wait":            waitAttribute(),
		"timeouts":        timeoutsAttribute(ctx),
		"phase":           phaseAttribute(),
		"problems":        problemsAttribute(),
		"planned_changes": plannedChangesAttribute(),
	})
	maps.Copy(out, HandOverAttributes())
	return out
}

func nameAttribute() schema.StringAttribute {
	return schema.StringAttribute{
		Required: true, MarkdownDescription: "Name of the placement, at most 63 characters. In the engine `direct`, another name renames the placement in place. " +
			"On a hub, it replaces the placement.",
		Validators: []validator.String{validate.ShortName()},
	}
}

func manifestsAttribute() schema.MapAttribute {
	return schema.MapAttribute{
		Optional: true, Sensitive: true, ElementType: yamltext.Type{},
		MarkdownDescription: "Objects to place, as YAML texts with one or more documents. The selectors apply to them too; without any " +
			"`resource_selectors` all of them are placed. In the engine `direct`, and in the engine `kubeadmiral`, which makes them on the host; on a hub of " +
			"KubeFleet there is `fleet_envelope_configmap` for it. A key whose text is `null` is left out. The engine `direct` keeps Secrets in them in a " +
			"Secret on the members. They are in the Terraform state as everything that is configured is. A plan shows `manifest_digests` instead.",
		PlanModifiers: []planmodifier.Map{yamltext.KeepEquivalent()},
	}
}

func waitAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true, MarkdownDescription: "What an apply waits for.",
		Attributes: map[string]schema.Attribute{
			"until": schema.StringAttribute{
				Optional: true, MarkdownDescription: "`Available` (the default) waits until every object is available, `Applied` until it is written.",
				Validators: enum.Validators[WaitUntil](),
			},
			"on_failure": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "How an apply that could not be completed is reported: " + enum.OneOf[Severity]() + ". The default is `Warn` on create, because an " +
					"error would make Terraform replace the whole placement the next time, and `Error` on update.",
				Validators: enum.Validators[Severity](),
			},
		},
	}
}

func timeoutsAttribute(ctx context.Context) schema.Attribute {
	const description = "How long to wait, such as `30m`. The default is 10 minutes."
	return TimeoutsAttribute(ctx, timeouts.Opts{
		Create: true, CreateDescription: description, Read: true, ReadDescription: description, Update: true, UpdateDescription: description,
		Delete: true, DeleteDescription: description,
	})
}

// TimeoutsAttribute returns the schema of the timeouts of operations, with validators.
func TimeoutsAttribute(ctx context.Context, options timeouts.Opts) schema.Attribute {
	attribute := timeouts.Attributes(ctx, options)
	nested, ok := attribute.(schema.SingleNestedAttribute)
	if !ok {
		return attribute
	}
	nested.MarkdownDescription = "How long operations may take."
	for name, timeout := range nested.Attributes {
		if text, ok := timeout.(schema.StringAttribute); ok {
			text.Validators = []validator.String{validate.String("duration", validate.Duration)}
			nested.Attributes[name] = text
		}
	}
	return nested
}

func selectorsAttribute() schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Optional: true, MarkdownDescription: "Which objects to place; what one of the selectors matches is placed. 1 to 100.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"group":   schema.StringAttribute{Required: true, MarkdownDescription: "API group; `\"\"` is Kubernetes' core."},
			"version": schema.StringAttribute{Required: true, MarkdownDescription: "API version."},
			"kind":    schema.StringAttribute{Required: true, MarkdownDescription: "Kind, as in `Namespace`."},
			"name": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Name of one object.", Validators: []validator.String{validate.AnyObjectName()},
			},
			"label_selector": labelselector.Optional("Objects with these labels. Excludes `name`."),
			"selection_scope": schema.StringAttribute{
				Optional: true, MarkdownDescription: "What a selected Namespace brings with it: " + enum.OneOfWithDefault[domain.SelectionScope]() + ".",
			},
		}},
	}
}
