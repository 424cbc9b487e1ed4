package stagedupdate

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/enum"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/labelselector"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/validate"
)

// requiresReplace is for arguments that cannot be changed.
var requiresReplace = []planmodifier.String{stringplanmodifier.RequiresReplace()}

func nameAttribute(of string) schema.StringAttribute {
	return schema.StringAttribute{
		Required: true, MarkdownDescription: "Name of the " + of + ".", Validators: []validator.String{validate.ObjectName()}, PlanModifiers: requiresReplace,
	}
}

// runNameAttribute returns the schema of a run's name. It is shorter than other names, because it is the value of a label.
func runNameAttribute() schema.StringAttribute {
	out := nameAttribute("run, at most 63 characters")
	out.Validators = []validator.String{validate.ShortName()}
	return out
}

func namespaceAttribute(of, placements string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, MarkdownDescription: "Namespace of the " + of + ", which is then for " + placements + ". Left out, it is for `fleet_crp`.",
		Validators: []validator.String{validate.Namespace()}, PlanModifiers: requiresReplace,
	}
}

// Schema returns the schema of fleet_staged_update_strategy.
func (strategyNoun) Schema(context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "The stages through which a [`fleet_staged_update_run`](staged_update_run.md) takes a placement: KubeFleet's " +
			"`ClusterStagedUpdateStrategy`, or `StagedUpdateStrategy` in a namespace. Each cluster that the placement has picked has to be in one of " +
			"the stages. A run copies the strategy when it is initialized: a change here is for later runs. In the engine `kubefleet` only.",
		Attributes: map[string]schema.Attribute{
			"name":      nameAttribute("strategy"),
			"namespace": namespaceAttribute("strategy", "runs of `fleet_resource_placement`s there"),
			"stages":    stagesAttribute(),
		},
	}
}

func stagesAttribute() schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Required: true, MarkdownDescription: "The stages, in order. 1 to 31.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"name":           schema.StringAttribute{Required: true, MarkdownDescription: "Name of the stage: lower-case letters and digits, at most 63."},
			"label_selector": labelselector.Optional("The clusters of the stage, by their labels. Left out, there are none; empty, all."),
			"sorting_label_key": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Label by whose value, a whole number, the clusters of the stage are ordered; every one must have it. By name if left out.",
			},
			"max_concurrency": schema.StringAttribute{
				Optional: true, MarkdownDescription: "How many clusters of the stage change at once: a number, or a percentage, rounded down to 1 at least. The default is 1.",
			},
			"before_stage_tasks": tasksAttribute("What is waited for before the stage: an `Approval`. At most one."),
			"after_stage_tasks":  tasksAttribute("What is waited for after the stage, both at once: an `Approval`, a `TimedWait`. At most one of each."),
		}},
	}
}

func tasksAttribute(description string) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Optional: true, MarkdownDescription: description,
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"type": schema.StringAttribute{
				Required: true, MarkdownDescription: enum.OneOf[domain.TaskType]() + ". The action [`fleet_stage_approval`](../actions/stage_approval.md) approves.",
			},
			"wait_time": schema.StringAttribute{Optional: true, MarkdownDescription: "How long a `TimedWait` waits, such as `1h30m`."},
		}},
	}
}

// Schema returns the schema of fleet_staged_update_run.
func (runNoun) Schema(ctx context.Context) schema.Schema {
	const limit = "How long the run is followed, such as `2h`. The default is 30 minutes."
	return schema.Schema{
		Version: 1,
		MarkdownDescription: "Rolls a content of a placement out in stages: KubeFleet's `ClusterStagedUpdateRun`, or `StagedUpdateRun` in a namespace. The " +
			"placement has the `strategy.type` `External`. In the engine `kubefleet` only.\n\n" +
			"An apply follows the run until it has ended, or waits for an approval: the action [`fleet_stage_approval`](../actions/stage_approval.md) gives it and " +
			"follows the run on. A run that has failed is an error, and the next apply makes a new one in its place: a hub never takes a failed run up again. " +
			"Destroying a run changes nothing on the clusters.\n\n" +
			"For another content make another run, under another name.",
		Attributes: map[string]schema.Attribute{
			"name":           runNameAttribute(),
			"namespace":      namespaceAttribute("run", "a `fleet_resource_placement` there"),
			"placement_name": nameAttribute("placement"),
			"resource_snapshot_index": schema.StringAttribute{
				Optional: true, PlanModifiers: requiresReplace, Validators: []validator.String{validate.String("index of a snapshot", domain.ValidateSnapshotIndex)},
				MarkdownDescription: "The content to roll out, by the index of its snapshot on the hub; an earlier one rolls back. Left out, " +
					"it is the latest, and `status.resource_snapshot_index` tells which.",
			},
			"staged_rollout_strategy_name": nameAttribute("`fleet_staged_update_strategy`"),
			"state": schema.StringAttribute{
				Optional: true, Validators: enum.Validators[domain.State](), MarkdownDescription: "What the run is to do: " + enum.OneOfWithDefault[domain.State]() + ". `Initialize` sorts the clusters into the " +
					"stages and starts nothing; `Stop` lets clusters that were begun come to their end, and `Run` goes on from there.",
			},
			"wait":     waitAttribute(),
			"timeouts": placement.TimeoutsAttribute(ctx, timeouts.Opts{Create: true, CreateDescription: limit, Update: true, UpdateDescription: limit}),
			"status":   statusAttribute(),
		},
	}
}

func statusAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Computed: true, MarkdownDescription: "How far the run has come.",
		Attributes: map[string]schema.Attribute{
			"phase": schema.StringAttribute{Computed: true, MarkdownDescription: "Where the run stands: " + enum.OneOf[domain.Phase]() + "."},
			"resource_snapshot_index": schema.StringAttribute{
				Computed: true, MarkdownDescription: "Index of the content that is rolled out; empty until the run is initialized.",
			},
			"conditions": schema.MapAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "Conditions by type (`Initialized`, `Progressing`, `Succeeded`): `True`, or status and reason.",
			},
			"stages": schema.MapAttribute{
				Computed: true, ElementType: types.StringType,
				MarkdownDescription: "Where each stage stands, by its name, as in `Waiting (3 of 3 clusters), awaits the approval web-after-canary`. The last one, " +
					"`kubernetes-fleet.io/deleteStage`, removes the placement from clusters that are picked no longer.",
			},
		},
	}
}
