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
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/timeout"
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
			Optional: true, MarkdownDescription: enum.OneOfWithDefault[domain.ReportingScope]() + ". With `NamespaceAccessible`, the hub also writes the " +
				"status into the selected namespace, as a `ClusterResourcePlacementStatus`. Engine `kubefleet` only.",
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
			Optional: true, MarkdownDescription: "Number of revisions that a hub of KubeFleet keeps, 1 to 1000. The default is 10. Engine `kubeadmiral`: no " +
				"effect, the host cluster keeps none. Engine `direct`: always one revision.",
			CustomType: wholenumber.Type{},
		},
		"on_takeover_conflict": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "How the plan reports a pre-existing object that is not taken over: with a warning (`Warn`, the default) or with " +
				"an error (`Error`). With `Error`, the apply also returns an error if the object appears after the plan.",
			Validators: enum.Validators[Severity](),
		},
		"expected_preview": schema.StringAttribute{
			Optional: true, WriteOnly: true,
			MarkdownDescription: "The `digest` of a `data.fleet_placement_preview` of the same placement. Terraform reads that data source during the " +
				"plan. The apply takes over, deletes and replaces only the objects that this preview shows, and places only on the clusters that it " +
				"shows as picked. If the placement picks another cluster, or if another object must be taken over, deleted or replaced, the apply " +
				"returns an error. Engine `direct`: the preview also limits updates, and the apply skips the object instead of returning an error. Not " +
				"stored in the state. See the guide [Saved plans and reviews](../guides/saved-plans.md).",
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
		Required: true, MarkdownDescription: "Name of the placement, at most 63 characters. Engine `direct`: another name renames the placement in place. " +
			"Other engines: another name replaces the placement.",
		Validators: []validator.String{validate.ShortName()},
	}
}

func manifestsAttribute() schema.MapAttribute {
	return schema.MapAttribute{
		Optional: true, Sensitive: true, ElementType: yamltext.Type{},
		MarkdownDescription: "Objects to place, as YAML with one or more documents. If `resource_selectors` is set, only the objects that it selects " +
			"are placed. A key with the value `null` is omitted. The state contains the manifests; a plan shows `manifest_digests` instead. Engine " +
			"`direct`: the members store all manifests in the Secret `fleet-system/placement-NAME`. Engine `kubeadmiral`: the objects are created on the " +
			"host cluster. Engine " +
			"`kubefleet`: not supported, use `fleet_envelope_configmap`.",
		PlanModifiers: []planmodifier.Map{yamltext.KeepEquivalent()},
	}
}

func waitAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true, MarkdownDescription: "Condition that an apply waits for.",
		Attributes: map[string]schema.Attribute{
			"until": schema.StringAttribute{
				Optional: true, MarkdownDescription: "With `Available` (the default), the apply waits until every object is available. With `Applied`, " +
					"it waits until every object is applied.",
				Validators: enum.Validators[WaitUntil](),
			},
			"on_failure": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "How an apply that could not be completed is reported: " + enum.OneOf[Severity]() +
					". The default is `Warn` on create and `Error` on update: after an error on create, Terraform would replace the whole placement " +
					"in the next run. These do not count as failures: clusters that are unreachable, no longer available or no longer picked, objects that " +
					"are not taken over, and objects that have changed since the plan. A warning names the clusters and objects that the plan did not " +
					"show. With `on_takeover_conflict = \"Error\"`, the apply returns an error if an object is not taken over or has changed since " +
					"the plan.",
				Validators: enum.Validators[Severity](),
			},
		},
	}
}

func timeoutsAttribute(ctx context.Context) schema.Attribute {
	const description = "How long to wait, such as `30m`. The default is 10 minutes."
	return timeout.Attribute(ctx, timeouts.Opts{
		Create: true, CreateDescription: description, Read: true, ReadDescription: description, Update: true, UpdateDescription: description,
		Delete: true, DeleteDescription: description,
	})
}

func selectorsAttribute() schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Optional: true, MarkdownDescription: "Objects to place: every object that matches at least one of the selectors. 1 to 100.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"group":   schema.StringAttribute{Required: true, MarkdownDescription: "API group; `\"\"` for the core group."},
			"version": schema.StringAttribute{Required: true, MarkdownDescription: "API version."},
			"kind":    schema.StringAttribute{Required: true, MarkdownDescription: "Kind, such as `Namespace`."},
			"name": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Name of one object.", Validators: []validator.String{validate.AnyObjectName()},
			},
			"label_selector": labelselector.Optional("Selects objects with these labels. Cannot be combined with `name`."),
			"selection_scope": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Which objects a selected Namespace includes: " + enum.OneOfWithDefault[domain.SelectionScope]() + ". " +
					"`NamespaceWithResources` is the Namespace and everything in it. `NamespaceOnly` is the Namespace alone. " +
					"`NamespaceWithResourceSelectors` is the Namespace, and the objects in it that the other selectors match.",
			},
		}},
	}
}
